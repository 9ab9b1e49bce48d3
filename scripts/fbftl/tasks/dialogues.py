"""One setting of the language task: every seed's head, its curve, ROUGE and summaries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from fbftl.features.store.features import Features
from fbftl.ground.errors import UserError
from fbftl.models.t5.generate import generate
from fbftl.models.t5.head import ALL, Cut
from fbftl.models.t5.model import T5
from fbftl.models.t5.sequences import Sequences
from fbftl.models.t5.source import Source
from fbftl.training.rouge import MEASURES, rouge
from fbftl.training.t5 import Criterion, Epoch, Plan, Samples, train_head, validation_loss


@dataclass(frozen=True)
class Evaluation:
    """What summaries are scored on.

    Attributes:
        inputs: features at the cut; token ids for the cut ``ALL``.
        references: the reference summaries.
        longest: most tokens of a generated summary.
    """

    inputs: Sequences
    references: Sequence[str]
    longest: int


@dataclass(frozen=True)
class SeedRun:
    """One seed's outcome.

    Attributes:
        curve: losses per epoch.
        chosen: the epoch that was scored; None where training diverged before any.
        diverged: whether training diverged; ROUGE is 0 then.
        rouge: mean F-measures on the test set in percent.
        predictions: generated summaries, in the order of the test set.
    """

    seed: int
    curve: list[Epoch]
    chosen: Epoch | None
    diverged: bool
    rouge: dict[str, float]
    predictions: list[str]


def run_seeds(
    source: Source,
    cut: Cut,
    samples: Samples,
    received: Mapping[int, np.ndarray],
    test: Evaluation,
    plan: Plan,
    selection: str = "validation",
    device: torch.device | str = "cpu",
    on_epoch: Callable[[int, Epoch], None] = lambda seed, epoch: None,
) -> list[SeedRun]:
    """Train and score one head per seed.

    Args:
        source: the source model, with its tokenizer.
        cut: trained encoder blocks (FbFTL, FTL_c), or ``ALL`` with token ids as inputs (FTL_f).
        samples: all clients' samples.
        received: seed to the positions of the samples that reached the server.
        test: what to score on.
        plan: how to train.
        selection: ``validation`` chooses the epoch by the loss on held-out samples, ``test`` by
            ROUGE-1 on the test set, as the papers do.
        device: where to train.
        on_epoch: called with seed and epoch.

    Raises:
        UserError: on an unknown selection, or from `train_head`.
    """
    if selection not in ("validation", "test"):
        raise UserError(f"selection is {selection!r}; choose validation or test")
    model, samples, inputs = source.model.to(device), samples.to(device), test.inputs.to(device)

    def summaries(head: T5) -> list[str]:
        return source.tokenizer.decode(generate(head, cut, inputs, test.longest))

    def lost_rouge(head: T5, epoch: Epoch) -> float:
        return -rouge(summaries(head), test.references)["rouge1"]

    criterion: Criterion = lost_rouge if selection == "test" else validation_loss
    runs = []
    for seed, rows in received.items():
        trained = train_head(
            model,
            cut,
            samples,
            rows,
            plan,
            seed,
            criterion,
            lambda epoch, seed=seed: on_epoch(seed, epoch),
        )
        predictions = summaries(trained.model)
        scores = rouge(predictions, test.references)
        if trained.diverged:
            scores = dict.fromkeys(MEASURES, 0.0)
        runs.append(
            SeedRun(seed, trained.curve, trained.chosen, trained.diverged, scores, predictions)
        )
    return runs


def record(run: SeedRun) -> dict[str, Any]:
    """Return one seed's outcome as builtin types for the run's JSON; predictions left out."""
    return {
        "seed": run.seed,
        "epoch": run.chosen.epoch if run.chosen else 0,
        "updates": run.chosen.updates if run.chosen else 0,
        "diverged": run.diverged,
        **run.rouge,
        "curves": {
            "updates": [epoch.updates for epoch in run.curve],
            "loss": [epoch.training_loss for epoch in run.curve],
            "validation_loss": [epoch.validation_loss for epoch in run.curve],
        },
    }


def samples_of(stored: Features, cut: Cut) -> Samples:
    """Return rows of the feature store as training samples.

    Args:
        stored: rows of one split; for the cut `ALL` their token ids are the inputs.
        cut: trained encoder blocks, or `ALL`.
    """
    inputs = (
        (stored.tokens, stored.token_offsets) if cut == ALL else (stored.values, stored.offsets)
    )
    labels = stored.labels, stored.label_offsets
    return Samples(Sequences.flat(*inputs), Sequences.flat(*labels), stored.client)
