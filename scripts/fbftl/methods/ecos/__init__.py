"""ECOS (paper thesis, ch. 5): which public samples are worth buying, by counts of private ones.

Clients send how many of their rows lie near each centroid of a cloud's public features, under
noise. Everything is on cached features, so the heads are linear, and FixMatch, which the thesis
trains with, is left out: it needs augmented views of a sample, which a cached feature has not.
"""
