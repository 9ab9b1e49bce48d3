"""What clients upload: encoder hidden states at a cut, one row of tokens per dialogue."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from fbftl.data.clients import ClientFile, RowBatch
from fbftl.features.extract import Extraction
from fbftl.features.store.provenance import provenances_of
from fbftl.ground.files import read_json
from fbftl.models.t5.checkpoint import load_source
from fbftl.models.t5.head import Sequences, first_trained_block
from fbftl.models.t5.model import T5
from fbftl.models.t5.tokenizer import Tokenizer

Arrays = Mapping[str, Sequence[np.ndarray]]
Forward = Callable[[Arrays], dict[str, list[np.ndarray]]]


class TokenizedClients:
    """A client file of dialogues as token ids: what `extract.extract` reads.

    Batches hold ``tokens`` (of the dialogue) and ``label`` (of the summary), each a list of int64
    arrays that end in ``</s>``.

    Args:
        samples: the client file, with the arrays ``dialogue`` and ``summary``.
        tokenizer: gives the token ids.
        longest: most tokens of a dialogue or summary; the rest is cut off.
        prefix: put before every dialogue, for models that are told what to do.
    """

    def __init__(
        self, samples: ClientFile, tokenizer: Tokenizer, longest: int, prefix: str = ""
    ) -> None:
        self._samples, self._tokenizer = samples, tokenizer
        self._longest, self._prefix = longest, prefix

    def count(self, split: str) -> int:
        """Return the number of samples of a split."""
        return self._samples.count(split)

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[RowBatch]:
        """Yield a split's rows from row `start` on, `size` at a time."""
        for batch in self._samples.batches(split, size, start):
            dialogues = [self._prefix + text for text in batch.arrays["dialogue"]]
            arrays = {
                "tokens": self._tokenizer.encode(dialogues, self._longest),
                "label": self._tokenizer.encode(batch.arrays["summary"], self._longest),
            }
            yield RowBatch(arrays, batch.client, batch.sample)


def forward_fn(model: T5, cuts: Sequence[int], device: torch.device | str = "cpu") -> Forward:
    """Return the function that turns a batch of token ids into features.

    The model is put into eval mode and nothing tracks gradients; float32 on every device. What is
    padded beside a dialogue changes its features by float rounding at most.

    Args:
        model: the source model.
        cuts: numbers of trained encoder blocks; all from one pass.
        device: where to run.

    Returns:
        A function of ``{"tokens": [ids, ...]}`` that returns, for each cut as text, each
        dialogue's features [length, d_model].

    Raises:
        UserError: if the model has no such cut.
    """
    model = model.eval().to(device)
    first = {str(cut): first_trained_block(model.shape, cut) for cut in cuts}

    def forward(arrays: Arrays) -> dict[str, list[np.ndarray]]:
        tokens = arrays["tokens"]
        with torch.inference_mode():
            ids, mask = Sequences.of(tokens).to(device).padded(np.arange(len(tokens)))
            states = [model.embed(ids)]
            for block in range(max(first.values())):
                states.append(model.encoder_states(states[-1], mask, range(block, block + 1)))
        return {cut: _rows(states[block], tokens) for cut, block in first.items()}

    return forward


def _rows(states: torch.Tensor, tokens: Sequence[np.ndarray]) -> list[np.ndarray]:
    padded = states.cpu().numpy()
    return [row[: len(ids)].copy() for row, ids in zip(padded, tokens, strict=True)]


LIBRARIES = ("torch", "tokenizers", "numpy", "zarr")


def extraction(
    clients: ClientFile, weights: str, source: str, features: Mapping[str, Any], device: str
) -> Extraction:
    """Return the extraction that a task's `features` block asks for, all its cuts in one pass.

    Args:
        clients: the client file, open.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        features: the block.
        device: `cpu` or `cuda`.

    Raises:
        UserError: if the model has no such cut, or the weights are not the manifest's.
    """
    described = read_json(source, "source model's manifest")
    model = load_source(weights, described)
    cuts = [features["cut"], *features["further_cuts"]]
    of_texts = {"longest": features["longest"], "prefix": features["prefix"]}
    return Extraction(
        samples=TokenizedClients(clients, model.tokenizer, features["longest"], features["prefix"]),
        forward=forward_fn(model.model, cuts, device),
        provenances=provenances_of(
            map(str, cuts), described["sha256"], of_texts, clients.path, features, LIBRARIES
        ),
    )
