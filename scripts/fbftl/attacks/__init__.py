"""Attacks on what clients send, so that privacy is more than a number.

`inversion` reconstructs inputs from uploaded features, `membership` tells training samples from
others by the trained head, `label_recovery` counts a client's labels from its gradients.
`similarity` measures how close a reconstructed picture comes. All take and give plain arrays.
"""
