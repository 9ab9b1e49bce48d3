"""Paper eppfl: its audit rows."""
