"""The server's part of the T5: sequences, what a cut trains, its loss, and greedy summaries.

A cut is the number of trained encoder blocks. With all of them the features are the embeddings,
with fewer the hidden states that enter the first trained block. The embedding and the blocks
before the cut stay frozen, and with block 0 the table of relative positions that all blocks use;
everything after is trained. The cut `ALL` trains every layer from token ids, as FTL_f does.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.models.cost.architectures import T5Shape
from fbftl.models.t5.model import T5
from fbftl.models.t5.tokenizer import END_ID, PAD_ID


@dataclass(frozen=True)
class Sequences:
    """Rows of unequal length on a device.

    values: all tokens, [tokens] ids (int64) or [tokens, width] features (float32).
    offsets: row i is ``values[offsets[i]:offsets[i + 1]]``; int64 [rows + 1], on the host.
    """

    values: Tensor
    offsets: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[np.ndarray]) -> "Sequences":
        """Return the rows laid end to end; every row has at least one token."""
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(torch.from_numpy(np.concatenate(rows)), offsets)

    @classmethod
    def flat(cls, values: np.ndarray, offsets: np.ndarray) -> "Sequences":
        """Return rows that already lie end to end, e.g. in the feature store."""
        return cls(torch.from_numpy(values), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens in each row, int64 [rows]."""
        return np.diff(self.offsets)

    def to(self, device: torch.device | str) -> "Sequences":
        """Return these rows on another device."""
        return Sequences(self.values.to(device), self.offsets)

    def padded(self, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return the named rows side by side, and where a token is.

        Returns:
            values [len(rows), longest] or [len(rows), longest, width], zero where no token is, and
            a mask [len(rows), longest], true where one is.
        """
        start, stop = self.offsets[rows], self.offsets[rows + 1]
        places = start[:, None] + np.arange((stop - start).max())
        present = places < stop[:, None]
        index = torch.from_numpy(np.where(present, places, 0)).to(self.values.device)
        mask = torch.from_numpy(present).to(self.values.device)
        values = self.values[index]
        return values * (mask if values.dim() == 2 else mask[..., None]), mask


ALL = "all"
Cut = int | str


def first_trained_block(shape: T5Shape, cut: Cut) -> int:
    """Return the index of the first encoder block that runs at the server.

    Raises:
        UserError: if the model has no such cut.
    """
    if cut == ALL:
        return 0
    if not isinstance(cut, int) or not 0 <= cut <= shape.num_layers:
        raise UserError(
            f"cut {cut!r}: give the number of trained encoder blocks, 0 to {shape.num_layers} for "
            f"this model, or {ALL!r} for every layer"
        )
    return shape.num_layers - cut


def is_trained(name: str, shape: T5Shape, cut: Cut) -> bool:
    """Tell whether the parameter of this name is trained at the server."""
    if cut == ALL:
        return True
    frozen = [f"encoder.block.{index}." for index in range(first_trained_block(shape, cut))]
    return not name.startswith(("shared.", *frozen))


def trained_parameters(shape: T5Shape, cut: Cut) -> int:
    """Return the number of trained parameters, each counted once."""
    with torch.device("meta"):
        model = T5(shape)
    return sum(p.numel() for name, p in model.named_parameters() if is_trained(name, shape, cut))


def new_head(source: T5, cut: Cut) -> T5:
    """Return a copy of the source model in which only what the cut trains takes gradients."""
    model = copy.deepcopy(source)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(is_trained(name, model.shape, cut))
    return model


def head_memory(model: T5, cut: Cut, inputs: Tensor, mask: Tensor) -> Tensor:
    """Return the encoder's output [B, L, d_model].

    Args:
        model: the head.
        cut: trained encoder blocks, or `ALL`.
        inputs: padded features at the cut [B, L, d_model]; for `ALL` padded token ids [B, L].
        mask: true where a token is, [B, L].
    """
    x = model.embed(inputs) if cut == ALL else inputs
    return model.memory(x, mask, first_trained_block(model.shape, cut))


def summary_logits(model: T5, memory: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
    """Return logits [B, T, vocabulary] of each summary token given those before it."""
    decoder_inputs = nn.functional.pad(labels[:, :-1], (1, 0), value=PAD_ID)
    return model.decode(decoder_inputs, model.crossed(memory), mask)[0]


def sample_losses(logits: Tensor, labels: Tensor, label_mask: Tensor) -> Tensor:
    """Return each sample's loss [B] in nats: the mean cross-entropy of its summary's tokens.

    A batch's loss is their plain mean, so that its gradient is the average of per-sample gradients
    that FTL_c's server forms from its clients' sums.
    """
    losses = nn.functional.cross_entropy(logits.float().transpose(1, 2), labels, reduction="none")
    return (losses * label_mask).sum(1) / label_mask.sum(1)


@torch.no_grad()
def generate(
    head: T5, cut: Cut, inputs: Sequences, longest: int, batch_size: int = 64
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
