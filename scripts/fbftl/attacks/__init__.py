"""Attacks on what clients send, so that privacy is more than a number.

`inversion` reconstructs inputs from uploaded features, `membership` measures how well scores tell
training samples from others, `lira` and `rmia` score them by what `shadows` know, `choice` says
which attack is quoted, `label_recovery` counts a client's labels from its gradients.
`similarity` measures how close a reconstructed picture comes. All take and give plain arrays.
"""
