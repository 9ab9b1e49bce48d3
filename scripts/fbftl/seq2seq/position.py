"""T5's relative positions: distances between tokens, grouped into buckets."""

import math

import torch
from torch import Tensor


def position_buckets(distance: Tensor, buckets: int, longest: int, both_ways: bool) -> Tensor:
    """Return the bucket of each distance, int64, same shape.

    Half of the buckets hold one distance each, the other half ever wider ranges up to `longest`,
    from where on all share the last.

    Args:
        distance: position of the key minus position of the query, int64.
        buckets: number of buckets.
        longest: distance from which on there is no difference.
        both_ways: whether keys after the query have buckets of their own (encoder); if not, they
            share bucket 0 (decoder, where they are hidden).
    """
    if both_ways:
        buckets //= 2
        offset = buckets * (distance > 0)
        distance = distance.abs()
    else:
        offset = torch.zeros_like(distance)
        distance = -distance.clamp(max=0)
    exact = buckets // 2
    scale = (buckets - exact) / math.log(longest / exact)
    wide = exact + (torch.log(distance.clamp(min=1) / exact) * scale).long()
    return offset + torch.where(distance < exact, distance, wide.clamp(max=buckets - 1))
