"""What crosses the boundary of a split network (paper eppfl, Sec. 2.3 and 2.4).

Forwards a client keeps a random share of its activations, adds Laplace noise to what it keeps and
sends it; backwards its edge server sends a share of the gradients at what it received. `Boundary`
is a hook of local training (`training/local.py`) that does both.

The paper selects in every channel of a sample. Its public code drops a share of the whole batch
and adds noise to the dropped positions too: `reading: code`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from fbftl.cost.split import CutMap, kept_of
from fbftl.ground.randomness import torch_seed
from fbftl.training.local import Moment, Visit


@dataclass(frozen=True)
class Crossing:
    """How activations and their gradients cross.

    keep_activations: θ_a, share of the activations that a client keeps, in (0, 1].
    keep_gradients: θ_g, share of the gradients that its edge server sends back, in (0, 1].
    kept_gradients: which: large, small (by magnitude) or random.
    reading: paper selects in every channel of a sample; code in the whole batch.
    epsilon: privacy loss of one coordinate; None adds no noise.
    clip: B, to whose range [0, B] noisy activations are clipped; None scales noise by the channel's
        maximum.
    """

    keep_activations: float = 1.0
    keep_gradients: float = 1.0
    kept_gradients: str = "large"
    reading: str = "paper"
    epsilon: float | None = None
    clip: float | None = None

    @property
    def whole_batch(self) -> bool:
        """Whether a selection is one of all values of a batch."""
        return self.reading == "code"


def cut_map(shape: torch.Size) -> CutMap:
    """Return the channels and positions of one sample's activations of this shape."""
    return CutMap(shape[0] if len(shape) > 1 else 1, shape[1:].numel() if shape[1:] else shape[0])


def in_channels(values: Tensor) -> Tensor:
    """Return activations (B, k, ...) or (B, W) as a row for each channel of a sample."""
    return values.flatten(0, 1).flatten(1) if values.ndim > 2 else values


def chosen(scores: Tensor, count: int) -> Tensor:
    """Return which values of each row of `scores` (R, P) are its `count` greatest, (R, P)."""
    picked = torch.zeros_like(scores, dtype=torch.bool)
    return picked.scatter_(1, scores.topk(count, dim=1, sorted=False).indices, True)


def laplace(like: Tensor, generator: torch.Generator) -> Tensor:
    """Return Laplace noise of scale 1, the difference of two exponential draws.

    Logarithms of uniform draws, at most 16.6; torch's own exponential takes ten times as long.
    """
    draws = torch.rand(2, *like.shape, generator=generator, device=like.device).neg_().log1p_()
    return draws[0] - draws[1]


class Boundary:
    """The boundary of one repetition: a hook of local training.

    Args:
        crossing: how values cross.
        seed: the repetition's seed; a visit's draws are its own.
    """

    def __init__(self, crossing: Crossing, seed: int) -> None:
        self.crossing, self._seed = crossing, seed
        self._visit: Visit | None = None
        self._draws = torch.Generator()
        self._norms: list[tuple[Tensor, Tensor]] = []

    def __call__(self, features: Tensor, moment: Moment) -> Tensor:
        """Return what the edge server is given, through which selected gradients come back."""
        if moment.visit is not self._visit:
            self._visit = visit = moment.visit
            self._draws = self._generator(features.device, "boundary", visit.turn, visit.client)
        sent = self._sent(features, self._draws)
        if self.crossing.keep_gradients == 1:
            return sent
        received = sent.view_as(sent)
        received.register_hook(self._sent_back)
        return received

    def tested(self, turn: int, device: torch.device) -> Callable[[Tensor], Tensor]:
        """Return what becomes of samples that clients have the network classify after a round."""
        draws = self._generator(device, "inference", turn)
        return lambda features: self._sent(features, draws)

    @property
    def kept_norm(self) -> float | None:
        """Share of the gradients' squared norm that was sent back; None if there was no choice."""
        if not self._norms:
            return None
        kept, whole = (torch.stack(own).sum().item() for own in zip(*self._norms, strict=True))
        return kept / whole if whole else None

    def _sent(self, features: Tensor, draws: torch.Generator) -> Tensor:
        """Return what a client sends of activations, zeros in the place of what it drops."""
        how, rows, kept = self.crossing, self._rows(features), None
        if how.keep_activations == 1 and how.epsilon is None:
            return features  # to the bit, memory layout included
        if how.keep_activations < 1:
            scores = torch.rand(rows.shape, generator=draws, device=rows.device)
            kept = chosen(scores, kept_of(rows.shape[1], how.keep_activations))
            rows = rows.where(kept, 0)
        if how.epsilon is None:
            return rows.view_as(features)
        if how.clip is not None:
            rows = rows.clamp(0, how.clip)
        noise = laplace(rows, draws) * self._scale(rows.view_as(features))
        if kept is not None and not how.whole_batch:
            noise = noise.where(kept, 0)
        return (rows + noise).view_as(features)

    def _scale(self, features: Tensor) -> Tensor | float:
        """Return the noise's scale Δ/ε, by Eq. (6) and (7)."""
        how = self.crossing
        if how.clip is not None:
            return how.clip / how.epsilon
        largest = in_channels(features.detach()).amax(1, keepdim=True) / how.epsilon
        each = largest.expand_as(in_channels(features))
        return self._rows(each.reshape(features.shape))

    def _sent_back(self, gradient: Tensor) -> Tensor:
        """Return the gradients that the edge server sends, zeros in the place of the others."""
        how, rows = self.crossing, self._rows(gradient)
        if how.kept_gradients == "random":
            scores = torch.rand(rows.shape, generator=self._draws, device=rows.device)
        else:
            scores = rows.abs() if how.kept_gradients == "large" else -rows.abs()
        sent = rows.where(chosen(scores, kept_of(rows.shape[1], how.keep_gradients)), 0)
        self._norms.append((sent.square().sum(), rows.square().sum()))
        return sent.view_as(gradient)

    def _rows(self, values: Tensor) -> Tensor:
        """Return values as rows, in each of which there is a selection."""
        return values.reshape(1, -1) if self.crossing.whole_batch else in_channels(values)

    def _generator(self, device: torch.device, concern: str, *keys: int) -> torch.Generator:
        return torch.Generator(device).manual_seed(torch_seed(self._seed, concern, *keys))
