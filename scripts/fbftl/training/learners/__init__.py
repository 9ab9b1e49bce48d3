"""What trains: networks and heads on what clients hold, for whichever method asks."""
