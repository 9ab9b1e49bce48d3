"""Paper thesis, four systems: its audit rows and claims."""
