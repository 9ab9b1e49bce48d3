"""The cache: one pass of the frozen extractor over every sample."""
