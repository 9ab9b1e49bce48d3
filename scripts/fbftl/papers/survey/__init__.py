"""Paper survey, a survey's frameworks: its audit rows and claims."""
