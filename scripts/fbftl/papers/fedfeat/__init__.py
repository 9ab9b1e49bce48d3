"""Paper fedfeat, FedFeat+: its audit rows."""
