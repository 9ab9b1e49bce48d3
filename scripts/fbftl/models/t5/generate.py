"""Greedy summaries, in batches, from cached features."""

import numpy as np
import torch
from torch import Tensor

from fbftl.models.t5.head import Cut, head_memory
from fbftl.models.t5.model import T5
from fbftl.models.t5.sequences import Sequences
from fbftl.models.t5.tokenizer import END_ID, PAD_ID


@torch.no_grad()
def generate(
    head: T5,
    cut: Cut,
    inputs: Sequences,
    longest: int,
    batch_size: int = 64,
) -> list[list[int]]:
    """Return the most probable token after token, up to ``</s>``, for every row.

    Args:
        head: the trained head, in eval mode.
        cut: trained encoder blocks, or ``ALL`` for token ids as inputs.
        inputs: features or token ids of each sample, on any device.
        longest: most tokens of a summary.
        batch_size: rows at a time, those of like length together.

    Returns:
        Token ids per row, in the order of the rows, without ``</s>``.
    """
    order = np.argsort(inputs.lengths, kind="stable")
    summaries: list[list[int]] = [[] for _ in order]
    for first in range(0, len(order), batch_size):
        rows = order[first : first + batch_size]
        padded, mask = (values.to(head.shared.weight.device) for values in inputs.padded(rows))
        with torch.autocast(padded.device.type, torch.bfloat16, enabled=padded.is_cuda):
            ids = _greedy(head, head_memory(head, cut, padded, mask), mask, longest)
        for row, summary in zip(rows, ids.tolist(), strict=True):
            summaries[row] = summary[: summary.index(END_ID)] if END_ID in summary else summary
    return summaries


def _greedy(model: T5, memory: Tensor, mask: Tensor, longest: int) -> Tensor:
    crossed = model.crossed(memory)
    token = torch.full((len(memory), 1), PAD_ID, device=memory.device)
    ended = torch.zeros_like(token, dtype=torch.bool)
    cache = None
    tokens = []
    for _ in range(longest):
        logits, cache = model.decode(token, crossed, mask, cache)
        token = logits.argmax(-1)
        tokens.append(token)
        ended |= token == END_ID
        if ended.all():
            break
    return torch.cat(tokens, 1)
