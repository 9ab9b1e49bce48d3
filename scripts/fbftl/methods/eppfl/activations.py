"""What crosses the boundary of a split network (paper eppfl, Sec. 2.3 and 2.4).

Forwards a client keeps a random share of its activations, adds Laplace noise to what it keeps and
sends it; backwards its edge server sends a share of the gradients at what it received. `Boundary`
is a hook of local training (`training/local_updates.py`) that does both.

The paper selects in every channel of a sample. Its public code drops a share of the whole batch
and adds noise to the dropped positions too: `selection_reading: code`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from fbftl.ground.errors import required
from fbftl.ground.randomness import torch_seed
from fbftl.messages.codec.compression import top_mask
from fbftl.models.cost.payload import CutMap, kept_of
from fbftl.training.local_updates import LocalUpdate, MiniBatch

_WITHOUT_SIGN = 2**31 - 1


@dataclass(frozen=True)
class Crossing:
    """How activations and their gradients cross.

    keep_activations: θ_a, share of the activations that a client keeps, in (0, 1].
    keep_gradients: θ_g, share of the gradients that its edge server sends back, in (0, 1].
    kept_gradients: which: large, small (by magnitude) or random; hook sends all but the large.
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
    def sends_all(self) -> bool:
        """Whether activations are sent as they are."""
        return self.keep_activations == 1 and self.epsilon is None

    @property
    def is_open(self) -> bool:
        """Whether gradients come back as they are too, so that splitting changes no number."""
        return self.sends_all and self.keep_gradients == 1

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


def laid_out_as(values: Tensor, rows: Tensor) -> Tensor:
    """Return rows in the shape of values (B, ...), and in their order in memory, for speed."""
    shaped = rows.view_as(values)
    if values.ndim == 4 and values.is_contiguous(memory_format=torch.channels_last):
        return shaped.contiguous(memory_format=torch.channels_last)
    return shaped


def random_bits(shape: torch.Size, generator: torch.Generator) -> Tensor:
    """Return whole numbers of 31 random bits, int32 of a shape; two of them from every draw."""
    count = shape.numel()
    draws = torch.empty((count + 1) // 2, dtype=torch.int64, device=generator.device)
    bits = draws.random_(generator=generator).view(torch.int32)[:count]
    return bits.bitwise_and_(_WITHOUT_SIGN).view(shape)


def random_mask(rows: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Return `count` places of each row of (R, P), drawn at random, as booleans (R, P)."""
    return _mask_of_greatest(random_bits(rows.shape, generator), count)


def magnitude_mask(rows: Tensor, count: int, largest: bool) -> Tensor:
    """Return where the `count` largest or smallest magnitudes of each row of (R, P) are.

    Of values that are equal as many are taken as there is room for.
    """
    # The bits of a float without its sign order as its magnitude does.
    bits = rows.view(torch.int32) & _WITHOUT_SIGN
    return _mask_of_greatest(bits if largest else bits ^ _WITHOUT_SIGN, count)


def _mask_of_greatest(scores: Tensor, count: int) -> Tensor:
    """Return where the `count` greatest of each row of int32 (R, P) are, as booleans (R, P)."""
    if scores.device.type == "cpu":
        return torch.from_numpy(top_mask(scores.numpy(), count))
    mask = torch.zeros_like(scores, dtype=torch.bool)
    return mask.scatter_(1, scores.topk(count, dim=1, sorted=False).indices, True)


def laplace(shape: torch.Size, generator: torch.Generator) -> Tensor:
    """Return Laplace noise of scale 1, at most 21.5: the logarithm of 30 random bits, and a sign.

    torch's own exponential takes ten times as long.
    """
    bits = random_bits(shape, generator)
    signs = (bits & 1).mul_(2).sub_(1)
    return (bits >> 1).add(0.5).mul_(2.0**-30).log_().mul_(signs)


class Boundary:
    """The boundary of one repetition: a hook of local training.

    Args:
        crossing: how values cross.
        seed: the repetition's seed; a local update's draws are its own.
    """

    def __init__(self, crossing: Crossing, seed: int) -> None:
        self.crossing, self._seed = crossing, seed
        self._round_number = 0
        self._draws: dict[int, tuple[LocalUpdate, torch.Generator]] = {}

    def __call__(self, features: Tensor, mini_batch: MiniBatch) -> Tensor:
        """Return what the edge server is given, through which selected gradients come back."""
        draws = self._of_local_update(mini_batch.local_update, features.device)
        sent = self._sent(features, draws)
        if self.crossing.keep_gradients == 1:
            return sent
        received = sent.view_as(sent)
        received.register_hook(partial(self._sent_back, draws))
        return received

    def tested(self, round_number: int, device: torch.device) -> Callable[[Tensor], Tensor]:
        """Return what becomes of samples that clients have the network classify after a round."""
        draws = self._generator(device, "inference", round_number)
        return lambda features: self._sent(features, draws)

    def _sent(self, features: Tensor, draws: torch.Generator) -> Tensor:
        """Return what a client sends of activations, zeros in the place of what it drops."""
        how, rows, kept = self.crossing, self._rows(features), None
        if how.sends_all:
            return features  # to the bit, memory layout included
        if how.keep_activations < 1:
            kept = random_mask(rows, kept_of(rows.shape[1], how.keep_activations), draws)
            rows = rows * kept
        if how.epsilon is None:
            return laid_out_as(features, rows)
        if how.clip is not None:
            rows = rows.clamp(0, how.clip)
        noise = laplace(rows.shape, draws) * self._scale(rows.view_as(features))
        if kept is not None and not how.whole_batch:
            noise = noise * kept
        return laid_out_as(features, rows + noise)

    def _scale(self, features: Tensor) -> Tensor | float:
        """Return the noise's scale Δ/ε, by Eq. (6) and (7)."""
        how, epsilon = self.crossing, required(self.crossing.epsilon)
        if how.clip is not None:
            return how.clip / epsilon
        largest = in_channels(features.detach()).amax(1, keepdim=True) / epsilon
        each = largest.expand_as(in_channels(features))
        return self._rows(each.reshape(features.shape))

    def _sent_back(self, draws: torch.Generator, gradient: Tensor) -> Tensor:
        """Return the gradients that the edge server sends, zeros in the place of the others."""
        how, rows = self.crossing, self._rows(gradient)
        count = kept_of(rows.shape[1], how.keep_gradients)
        if how.kept_gradients == "random":
            kept = random_mask(rows, count, draws)
        else:
            kept = magnitude_mask(rows, count, largest=how.kept_gradients != "small")
        if how.kept_gradients == "hook":
            kept = ~kept
        return laid_out_as(gradient, rows * kept)

    def _rows(self, values: Tensor) -> Tensor:
        """Return values as rows, in each of which there is a selection."""
        return values.reshape(1, -1) if self.crossing.whole_batch else in_channels(values)

    def _of_local_update(self, local_update: LocalUpdate, device: torch.device) -> torch.Generator:
        """Return a local update's draws. Clients of a round may take their steps alternately."""
        if local_update.round_number != self._round_number:
            self._round_number, self._draws = local_update.round_number, {}
        started, draws = self._draws.get(local_update.client, (None, None))
        if draws is None or started is not local_update:
            draws = self._generator(
                device, "boundary", local_update.round_number, local_update.client
            )
            self._draws[local_update.client] = local_update, draws
        return draws

    def _generator(self, device: torch.device, concern: str, *keys: int) -> torch.Generator:
        return torch.Generator(device).manual_seed(torch_seed(self._seed, concern, *keys))
