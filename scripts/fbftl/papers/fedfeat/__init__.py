"""Paper 004, FedFeat+: its audit rows."""
