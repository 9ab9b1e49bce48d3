"""What plan and jobs of ECOS both know of the ways to choose public rows."""

COUNTING = ("ecos", "proximity")
"""Choices of public rows that rest on counts of the clients' rows."""
