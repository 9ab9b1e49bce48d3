"""The embedded source model: a tiny T5 taught to summarise the source family's dialogues."""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from fbftl.randomness import torch_seed
from fbftl.seq2seq.checkpoint import new_model
from fbftl.seq2seq.head import ALL
from fbftl.seq2seq.model import T5, T5Shape
from fbftl.seq2seq.ragged import Ragged
from fbftl.seq2seq.records import Record
from fbftl.seq2seq.tokenizer import Tokenizer
from fbftl.seq2seq.train import Epoch, Plan, Uploads, train_head


def pretrain(
    records: Sequence[Record],
    tokenizer: Tokenizer,
    shape: T5Shape,
    plan: Plan,
    longest: int,
    seed: int,
    device: torch.device,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> T5:
    """Train a new T5 on public dialogues, all layers.

    Args:
        records: the source task's dialogues.
        tokenizer: gives the token ids.
        shape: what to build.
        plan: how to train it.
        longest: most tokens of a dialogue or summary.
        seed: non-negative.
        device: where to train.
        on_epoch: called after each epoch.
    """
    uploads = Uploads(
        Ragged.of(tokenizer.encode([r.dialogue for r in records], longest)),
        Ragged.of(tokenizer.encode([r.summary for r in records], longest)),
        np.arange(len(records)),
    )
    model = new_model(shape, torch_seed(seed, "source-init")).to(device)
    everyone = np.arange(len(records))
    return train_head(model, ALL, uploads.to(device), everyone, plan, seed, on_epoch).model
