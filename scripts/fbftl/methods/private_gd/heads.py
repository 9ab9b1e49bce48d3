"""Heads that a trusted server trains by noisy descent, on inputs scaled by public statistics.

Centre, spread, principal components and the largest norm come from public samples alone, so that
they cost the private samples nothing; what is then done to a private row looks at no other row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fbftl.ground.errors import UserError, required
from fbftl.methods.private_gd.clipping import logits_of, norm_for, outputs_for
from fbftl.methods.private_gd.descent import Descended, Descent, OwnSamples, descend
from fbftl.models.heads import stacked
from fbftl.privacy.noise import clip_rows, row_norms
from fbftl.study.job import Job
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import LabelledFeatures


@dataclass(frozen=True, eq=False)
class PrivateHeads(Descended):
    """H heads after their last step.

    samples: all samples as the heads read them.
    test: the test split as they read it.
    """

    samples: LabelledInputs
    test: LabelledInputs

    @torch.no_grad()
    def logits(self, samples: LabelledInputs) -> Tensor:
        """Return every head's logits (H, n, classes)."""
        return logits_of(self.head(samples.inputs.expand(len(self.head), -1, -1)))

    def right(self) -> np.ndarray:
        """Return which test samples each head classifies rightly, booleans (H, n)."""
        return (self.logits(self.test).argmax(dim=-1) == self.test.labels).cpu().numpy()


def private_heads(
    client_data: LabelledFeatures,
    job: Job,
    seeds: Sequence[int],
    rows: Sequence[np.ndarray],
    multipliers: np.ndarray,
    noised_by: Sequence[int] | None = None,
) -> PrivateHeads:
    """Train heads on rows of the clients' features by noisy full-batch descent.

    Args:
        client_data: features with a class each, on the training device, with the test split and
            public features.
        job: the setting with its training values.
        seeds: (H,) of each head.
        rows: the rows that each is trained on.
        multipliers: (T, H) noise standard deviation of each step, over G / N; zeros for none.
        noised_by: (H,) seeds of the noise; `seeds` if None.
    """
    training, clip = job.training, job.privacy.gradient_clip
    outputs = outputs_for(client_data.classes)
    norm, components = (required(job.privacy.public_scale)[key] for key in ("norm", "components"))
    norm = job.setting.data_scale or norm
    if clip is not None and not job.block["head"]:
        norm = min(norm, norm_for(clip, outputs) or norm)
    scale = public_scale(required(client_data.public), norm, components)

    def scaled(split: LabelledInputs) -> LabelledInputs:
        inputs = torch.from_numpy(scale(split.inputs.cpu().numpy()))
        return LabelledInputs(inputs.to(split.inputs.device), split.labels)

    samples = scaled(client_data.samples)
    widths = [samples.inputs.shape[1], *job.block["head"], outputs]
    done = descend(
        lambda some: stacked(widths, some, samples.inputs.device),
        OwnSamples(samples.inputs, samples.labels, rows),
        seeds,
        Descent(
            multipliers,
            clip or math.inf,
            training.learning_rate,
            job.setting.descent_momentum,
            training.weight_decay,
        ),
        noised_by,
    )
    return PrivateHeads(done.head, done.losses, done.models, samples, scaled(client_data.test))


Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PublicScale:
    """An affine map of inputs (n, d) to (n, k), then a bound on their length.

    centre: (d,) subtracted.
    map: (d, k) that the rest is multiplied by.
    norm: L2 norm that no row exceeds afterwards.
    """

    centre: NDArray[np.float64]
    map: NDArray[np.float64]
    norm: float

    def __call__(self, inputs: Floats) -> Floats:
        """Return inputs (n, d) as they are trained on, (n, k)."""
        mapped = ((inputs - self.centre) @ self.map).astype(np.float32)
        return clip_rows(mapped, self.norm)


def public_scale(public: Floats, norm: float, components: int | None = None) -> PublicScale:
    """Return the scale that centres public samples, gives them unit spread and a largest norm.

    Args:
        public: (m, d) inputs of public samples.
        norm: L2 norm of the longest of them afterwards.
        components: principal components that are kept, first of all; None keeps all numbers.

    Raises:
        UserError: if there are fewer numbers or samples than components.
    """
    rows = np.asarray(public, dtype=np.float64)
    centre = rows.mean(axis=0)
    rows = rows - centre
    if components is None:
        map_ = np.eye(rows.shape[1])
    else:
        if components > min(rows.shape):
            raise UserError(
                f"privacy.public_scale.components is {components}, but there are {len(rows)} "
                f"public samples of {rows.shape[1]} numbers; give at most {min(rows.shape)}"
            )
        map_ = np.linalg.svd(rows, full_matrices=False)[2][:components].T
    spread = (rows @ map_).std(axis=0)
    # What no public sample ever moves in says nothing of a scale.
    map_ = map_ / np.where(spread > 0, spread, 1.0)
    return PublicScale(centre, map_ * (norm / row_norms(rows @ map_).max()), norm)
