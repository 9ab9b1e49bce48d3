"""Where a network is cut, and the extractor in front of the cut."""
