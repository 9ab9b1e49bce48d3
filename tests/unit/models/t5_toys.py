"""Small models and samples that the tests of the language task share."""

import numpy as np
import torch
from fbftl.data.participation import grouped, held_out
from fbftl.models.cost.architectures import T5Shape
from fbftl.models.t5.checkpoint import new_model
from fbftl.models.t5.head import Sequences
from fbftl.models.t5.model import T5
from fbftl.models.t5.tokenizer import END_ID
from fbftl.study.job import FineTuning
from fbftl.training.t5 import SequencePairs, TrainedT5, train_at_server

SHAPE = T5Shape(
    vocab_size=40,
    d_model=16,
    d_kv=8,
    d_ff=24,
    num_heads=2,
    num_layers=3,
    num_decoder_layers=2,
    relative_attention_num_buckets=8,
    relative_attention_max_distance=12,
)


def model(shape: T5Shape = SHAPE, seed: int = 0) -> T5:
    """A random model in eval mode."""
    return new_model(shape, seed).eval()


def rows(count: int, seed: int, longest: int = 14, vocabulary: int = 40) -> list[np.ndarray]:
    """Random token ids of unequal length, each ending in </s>."""
    random = np.random.default_rng(seed)
    return [
        np.append(random.integers(3, vocabulary, random.integers(0, longest)), END_ID)
        for _ in range(count)
    ]


def samples(inputs: list[np.ndarray], clients: np.ndarray, seed: int = 1) -> SequencePairs:
    """Inputs with random summaries."""
    labels = Sequences.of(rows(len(inputs), seed, longest=7))
    return SequencePairs(Sequences.of(inputs), labels, clients)


def parameters(head: T5) -> dict[str, torch.Tensor]:
    """All parameters, detached."""
    return {name: value.detach().clone() for name, value in head.named_parameters()}


def learner(
    source: T5,
    cut: int | str,
    data: SequencePairs,
    received: np.ndarray,
    plan: FineTuning,
    seed: int = 0,
) -> TrainedT5:
    """A learner of the rows that were received, some of them held out."""
    training, validation = held_out(received, plan.validation, seed)
    _, clients = grouped(training, data.clients)
    return TrainedT5(source, cut, data, clients, validation, plan, seed)


def trained(*arguments, **further) -> TrainedT5:
    """The same, trained by a server that has the rows."""
    return train_at_server(learner(*arguments, **further))
