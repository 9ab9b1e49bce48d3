"""Heads that a trusted server trains by noisy descent, on inputs scaled by public statistics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fbftl.models.heads import Head, stacked
from fbftl.privacy.public_scale import public_scale
from fbftl.study.job import Job
from fbftl.training.clipped import logits_of, norm_for, outputs_for
from fbftl.training.network import LabelledInputs
from fbftl.training.private_descent import Descent, OwnSamples, descend


@dataclass(frozen=True, eq=False)
class PrivateHeads:
    """H heads after their last step.

    losses: (T + 1, H) mean training losses before each step and after the last.
    models: (T + 1, H) SHA-256 of each head at these points.
    samples: all samples as the heads read them.
    test: the test split as they read it.
    """

    head: Head
    losses: np.ndarray
    models: np.ndarray
    samples: LabelledInputs
    test: LabelledInputs

    @torch.no_grad()
    def logits(self, samples: LabelledInputs) -> Tensor:
        """Return every head's logits (H, n, classes)."""
        return logits_of(self.head(samples.inputs.expand(len(self.head), -1, -1)))

    def accuracies(self) -> list[float]:
        """Return the test accuracy of each head."""
        hits = self.logits(self.test).argmax(dim=-1) == self.test.labels
        return hits.double().mean(dim=1).tolist()


def private_heads(
    job: Job,
    samples: LabelledInputs,
    test: LabelledInputs,
    public: np.ndarray,
    classes: int,
    seeds: Sequence[int],
    rows: Sequence[np.ndarray],
    multipliers: np.ndarray,
    noised_by: Sequence[int] | None = None,
) -> PrivateHeads:
    """Train heads on rows of the samples.

    Args:
        job: the setting with its training values.
        samples: on the training device, inputs (n, width).
        test: the test split.
        public: (m, width) inputs of public samples.
        classes: number of classes N.
        seeds: (H,) of each head.
        rows: the rows that each is trained on.
        multipliers: (T, H) noise standard deviation of each step, over G / N; zeros for none.
        noised_by: (H,) seeds of the noise; `seeds` if None.
    """
    training, clip, outputs = job.training, job.privacy.gradient_clip, outputs_for(classes)
    norm, components = (job.privacy.public_scale[key] for key in ("norm", "components"))
    if clip is not None and not job.block["head"]:
        norm = min(norm, norm_for(clip, outputs) or norm)
    scale = public_scale(public, norm, components)

    def scaled(given: LabelledInputs) -> LabelledInputs:
        inputs = torch.from_numpy(scale(given.inputs.cpu().numpy()))
        return LabelledInputs(inputs.to(given.inputs.device), given.labels)

    own = scaled(samples)
    widths = [own.inputs.shape[1], *job.block["head"], outputs]
    done = descend(
        lambda some: stacked(widths, some, own.inputs.device),
        OwnSamples(own.inputs, own.labels, rows),
        seeds,
        Descent(
            multipliers,
            clip or math.inf,
            training.learning_rate,
            job.setting.momentum,
            training.weight_decay,
        ),
        noised_by,
    )
    return PrivateHeads(done.head, done.losses, done.models, own, scaled(test))
