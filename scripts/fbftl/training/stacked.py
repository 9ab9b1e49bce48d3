"""Training of the stacked heads on what the server holds: whole-tensor batches, plain SGD."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding
from tqdm import tqdm

from fbftl.models.heads import Head, losses
from fbftl.models.modes import digests
from fbftl.study.job import Training
from fbftl.training.batches import Epoch
from fbftl.training.curves import Curves
from fbftl.training.optimisers import ANNEALING, StackedSgd

EVALUATED_AT_ONCE = 2**15
"""Inputs of all heads together that are evaluated at once; bounds the memory of wide heads."""


@dataclass(frozen=True)
class StackedSamples:
    """What R servers received of n samples, and from which of them each of H heads learns.

    values: (R, n, width), on the training device, or where there is room for them.
    labels: (R, n), on the training device.
    release: (H,), from 0 to R - 1, likewise.
    """

    values: Tensor
    labels: Tensor
    release: Tensor

    def places(self, rows: Tensor) -> Tensor:
        """Return where rows (..., H, B) lie in the flattened values and labels."""
        return rows + (self.release * self.labels.shape[1])[:, None]

    def of(self, head: int) -> "StackedSamples":
        """Return the samples that one head works with."""
        return StackedSamples(self.values, self.labels, self.release[head : head + 1])

    def at(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return values (H, B, width) and labels (H, B) at each head's rows (H, B)."""
        places = self.places(rows)
        return self.gathered(places), self.labels.flatten()[places]

    def gathered(self, places: Tensor) -> Tensor:
        """Return the values at some places, on the training device."""
        values = self.values.flatten(0, 1)
        # The rows by `embedding`, the quickest gather.
        return embedding(places.to(values.device), values).to(self.labels.device)

    def part(self, rows: slice) -> tuple[Tensor, Tensor]:
        """Return values (H, m, width) and labels (H, m) of the same m rows for every head."""
        values = self.values[:, rows].to(self.labels.device)
        if len(values) == 1:
            return values.expand(len(self.release), -1, -1), self.labels[:, rows]
        return values[self.release], self.labels[:, rows][self.release]


def train(
    head: Head,
    schedule: Iterable[Epoch],
    samples_at: Callable[[int], StackedSamples],
    held_out: Sequence[Tensor],
    test: StackedSamples,
    training: Training,
) -> list[Curves]:
    """Train stacked heads in place and return the curves of each.

    Args:
        head: H stacked heads on the training device.
        schedule: epochs of batches over the rows of the samples.
        samples_at: what the server works with at an epoch (from 0): what it received, always.
        held_out: each head's validation rows of the samples; may be empty.
        test: the test split.
        training: learning rate, momentum, weight decay; under `until_settled` each head is as
            it was when it had settled, whatever the others do, and its curves stay level after it.
    """
    at_rest: dict[int, list[Tensor]] = {}
    optimizer = StackedSgd(head.parameters(), training)
    curves = [Curves() for _ in held_out]
    progress = tqdm(schedule, total=training.epochs, unit="epoch", mininterval=5, disable=None)
    rate = ANNEALING[training.annealing](training.epochs) if training.annealing != "none" else None
    for number, epoch in enumerate(progress):
        if rate is not None:
            optimizer.anneal(rate(number + 1))
        samples = samples_at(number)
        device = samples.labels.device
        rows = torch.from_numpy(epoch.rows).to(device)
        weights = torch.from_numpy(epoch.weights).to(device).flatten(1)
        # Places and labels of all steps at once: a step gathers features and nothing else.
        places = samples.places(rows)
        labels = samples.labels.flatten()[places]
        step_losses = []
        for step, positions in enumerate(places):
            loss = losses(head(samples.gathered(positions)), labels[step])
            mean = loss.dot(weights[step])
            optimizer.step(torch.autograd.grad(mean, optimizer.parameters))
            step_losses.append(loss.detach())
        mean_loss = mean_losses((torch.stack(step_losses) * weights).view_as(rows)).tolist()
        validation = [
            _validate(head.at(slice(h, h + 1)), samples.of(h), held_out_rows)
            for h, held_out_rows in enumerate(held_out)
        ]
        right, models = answers(head, test), digests(head.parameters())
        for h, curve in enumerate(curves):
            if h in at_rest:
                continue
            accuracy = float(right[h].mean())
            curve.append(mean_loss[h], *validation[h], accuracy, models[h], right[h])
            if training.until_settled and curve.settled:
                at_rest[h] = [parameter[h].detach().clone() for parameter in head.parameters()]
        if len(at_rest) == len(curves):
            break
    for h, parameters in at_rest.items():
        for parameter, kept in zip(head.parameters(), parameters, strict=True):
            parameter.data[h].copy_(kept)
        curves[h].lengthen(training.epochs)
    return curves


def mean_losses(weighted: Tensor) -> Tensor:
    """Return each head's mean loss over steps (H,), which no other head rounds.

    A mean over the first dimension would round by the size of the second.

    Args:
        weighted: samples' losses by their weights, (steps, H, B).
    """
    return weighted.sum(2).t().contiguous().mean(1)


@torch.no_grad()
def answers(head: Head, test: StackedSamples) -> np.ndarray:
    """Return which samples each head classifies rightly, booleans (H, n)."""
    rows = max(1, EVALUATED_AT_ONCE // len(head))
    parts = (test.part(slice(at, at + rows)) for at in range(0, test.labels.shape[1], rows))
    right = [head(values).argmax(-1) == labels for values, labels in parts]
    return torch.cat(right, dim=1).cpu().numpy()


@torch.no_grad()
def _validate(
    head: Head, samples: StackedSamples, rows: Tensor
) -> tuple[float | None, float | None]:
    """Return one head's accuracy and mean loss on its held-out rows, or None for both."""
    if len(rows) == 0:
        return None, None
    values, labels = samples.at(rows[None])
    logits = head(values)
    accuracy = (logits.argmax(-1) == labels).float().mean().item()
    return accuracy, losses(logits, labels).mean().item()
