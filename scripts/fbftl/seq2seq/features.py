"""What clients upload: encoder hidden states at a cut, one ragged row per dialogue."""

from collections.abc import Sequence

import numpy as np
import torch

from fbftl.seq2seq.head import first_trained_block
from fbftl.seq2seq.model import T5
from fbftl.seq2seq.ragged import Ragged


@torch.no_grad()
def extract(
    model: T5, token_ids: Sequence[np.ndarray], cuts: Sequence[int]
) -> dict[int, list[np.ndarray]]:
    """Return the features of a batch of dialogues at several cuts, in one pass.

    Args:
        model: the source model; it must be in eval mode.
        token_ids: each dialogue's ids, ending in ``</s>``.
        cuts: numbers of trained encoder blocks; the features enter the first of these.

    Returns:
        For each cut, each dialogue's features [length, d_model], float32.

    Raises:
        UserError: if the model has no such cut.
        ValueError: if the model is in training mode, where dropout would spoil the features.
    """
    if model.training:
        raise ValueError("the extractor is in training mode; call eval() first")
    wanted = {cut: first_trained_block(model.shape, cut) for cut in cuts}
    ids, mask = (
        Ragged.of(token_ids).to(model.shared.weight.device).padded(np.arange(len(token_ids)))
    )
    states = {0: model.embed(ids)}
    for block in range(max(wanted.values())):
        states[block + 1] = model.encoder_states(states[block], mask, range(block, block + 1))
    lengths = [len(row) for row in token_ids]
    return {
        cut: [
            state[:length].clone().numpy()
            for state, length in zip(states[block].float().cpu(), lengths, strict=True)
        ]
        for cut, block in wanted.items()
    }


def token_id_bits(lengths: np.ndarray, vocabulary: int) -> int:
    """Return the bits of sending the token ids themselves: ⌈log2 vocabulary⌉ each.

    With all encoder blocks trained, features are a look-up of these ids and no more private (A18).
    """
    return int(np.sum(lengths)) * (vocabulary - 1).bit_length()
