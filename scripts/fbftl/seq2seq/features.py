"""What clients upload: encoder hidden states at a cut, one row of tokens per dialogue."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from fbftl.seq2seq.head import first_trained_block
from fbftl.seq2seq.sequences import Sequences
from fbftl.seq2seq.source import Source

Forward = Callable[[Mapping[str, Sequence[str]]], dict[str, list[np.ndarray]]]


def forward_fn(
    source: Source, cuts: Sequence[int], longest: int, device: torch.device | str = "cpu"
) -> Forward:
    """Return the function that turns a batch of dialogues into what the store keeps.

    The model is put into eval mode and nothing tracks gradients, so equal dialogues give equal
    features up to float rounding, whatever is padded beside them.

    Args:
        source: the source model and its tokenizer.
        cuts: numbers of trained encoder blocks; all from one pass.
        longest: most tokens of a dialogue or a summary; the rest is cut off.
        device: where to run; float32 on every device.

    Returns:
        A function of ``{"dialogue": [...], "summary": [...]}`` that returns one list of arrays
        per column: each cut (as text) float32 [length, d_model], ``tokens`` and ``labels`` int64
        [length].

    Raises:
        UserError: if the model has no such cut.
    """
    model = source.model.eval().to(device)
    first = {cut: first_trained_block(model.shape, cut) for cut in cuts}

    def forward(arrays: Mapping[str, Sequence[str]]) -> dict[str, list[np.ndarray]]:
        tokens = source.tokenizer.encode(arrays["dialogue"], longest)
        rows = np.arange(len(tokens))
        with torch.inference_mode():
            ids, mask = Sequences.of(tokens).to(device).padded(rows)
            states = [model.embed(ids)]
            for block in range(max(first.values(), default=0)):
                states.append(model.encoder_states(states[-1], mask, range(block, block + 1)))
            columns = {str(cut): _rows(states[first[cut]], tokens) for cut in cuts}
        labels = source.tokenizer.encode(arrays["summary"], longest)
        return columns | {"tokens": tokens, "labels": labels}

    return forward


def _rows(states: torch.Tensor, tokens: Sequence[np.ndarray]) -> list[np.ndarray]:
    padded = states.cpu().numpy()
    return [row[: len(ids)].copy() for row, ids in zip(padded, tokens, strict=True)]


def token_id_bits(lengths: np.ndarray, vocabulary: int) -> int:
    """Return the bits of sending the token ids themselves: ⌈log2 vocabulary⌉ each.

    With all encoder blocks trained, features are a look-up of these ids and no more private (A18).
    """
    return int(np.sum(lengths)) * (vocabulary - 1).bit_length()
