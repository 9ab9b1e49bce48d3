"""A setting of a finished study as a Flower app, and what runs it on this machine."""
