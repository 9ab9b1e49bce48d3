"""Private gradient descent (paper thesis, ch. 2): a trusted server's noisy full-batch steps.

It trains a head on cached features, or on the pixels themselves where the task cuts at `input`.
Inputs are scaled by public statistics. With a linear head no gradient then exceeds the clip norm:
the problem is convex and its Lipschitz bound holds. Nothing is held out, and the last step counts.
"""
