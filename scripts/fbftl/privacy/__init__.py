"""What noise, masks and counts guarantee or give away; numbers, no networks."""
