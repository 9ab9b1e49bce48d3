"""Secure FTL (Liu et al. 2020; paper survey, Sec. 4.1.3): two parties, few common samples.

Client 0 sees the first half of every sample's values and knows its class, the upper or the lower
half of the task's; client 1 sees the other half of the common samples alone, and learns to classify
by it. They exchange what their gradients need of the other, plainly or protected. Both are honest
but curious; what predictions tell is not hidden.
"""
