"""Training of the stacked heads on what the server holds: whole-tensor batches, plain SGD."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import embedding
from tqdm import tqdm

from fbftl.batches import Epoch
from fbftl.curves import Curves
from fbftl.heads import Head, losses
from fbftl.job import Training
from fbftl.sgd import Sgd

EVALUATION_ROWS = 8192
"""Rows evaluated at once; bounds the memory of wide heads."""


@dataclass(frozen=True)
class Samples:
    """Features with labels on the training device, for S seeds.

    values: (S, n, width), or (1, n, width) where the seeds share them.
    labels: (S, n), or (1, n).
    """

    values: Tensor
    labels: Tensor

    def places(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return where rows (..., S, B) lie in the flattened values and labels."""
        seed = torch.arange(rows.shape[-2], device=rows.device)[:, None]
        count = self.labels.shape[1]
        own_values = seed * count if len(self.values) > 1 else 0
        own_labels = seed * count if len(self.labels) > 1 else 0
        return rows + own_values, rows + own_labels

    def at(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return values (S, B, width) and labels (S, B) at each seed's rows (S, B)."""
        values, labels = self.places(rows)
        return embedding(values, self.values.flatten(0, 1)), self.labels.flatten()[labels]

    def scaled(self, factor: float) -> "Samples":
        """Return the same samples with their values multiplied by a factor."""
        return self if factor == 1 else Samples(self.values * factor, self.labels)


def train(
    head: Head,
    schedule: Iterable[Epoch],
    samples_at: Callable[[int], Samples],
    held_out: Sequence[Tensor],
    test: Samples,
    training: Training,
) -> list[Curves]:
    """Train a stacked head in place and return every seed's curves.

    Args:
        head: S stacked heads on the training device.
        schedule: epochs of batches over the rows of the samples.
        samples_at: what the server works with at an epoch (from 0): what it received, always.
        held_out: each seed's validation rows of the samples; may be empty.
        test: the test split, shared by the seeds.
        training: learning rate, momentum, weight decay.
    """
    optimizer = Sgd(head.parameters(), training)
    curves = [Curves() for _ in held_out]
    progress = tqdm(schedule, total=training.epochs, unit="epoch", mininterval=5, disable=None)
    for number, epoch in enumerate(progress):
        samples = samples_at(number)
        device = samples.values.device
        rows = torch.from_numpy(epoch.rows).to(device)
        weights = torch.from_numpy(epoch.weights).to(device).flatten(1)
        # Places and labels of all steps at once: a step gathers features and nothing else.
        places, label_places = samples.places(rows)
        labels = samples.labels.flatten()[label_places]
        features = samples.values.flatten(0, 1)
        step_losses = []
        for step, place in enumerate(places):
            # The rows by `embedding`, the quickest gather.
            loss = losses(head(embedding(place, features)), labels[step])
            mean = loss.dot(weights[step])
            optimizer.step(torch.autograd.grad(mean, optimizer.parameters))
            step_losses.append(loss.detach())
        weighted = (torch.stack(step_losses) * weights).view_as(rows)
        mean_loss = weighted.sum(2).mean(0).tolist()
        validation = [_validate(head, s, samples, own) for s, own in enumerate(held_out)]
        accuracy = accuracies(head, test)
        for s, own in enumerate(curves):
            own.append(mean_loss[s], *validation[s], accuracy[s])
    return curves


@torch.no_grad()
def accuracies(head: Head, test: Samples) -> list[float]:
    """Return every seed's accuracy on samples that the seeds share."""
    correct = 0
    count = test.labels.shape[1]
    for start in range(0, count, EVALUATION_ROWS):
        part = slice(start, start + EVALUATION_ROWS)
        values = test.values[:, part].expand(len(head.weights[0]), -1, -1)
        correct = correct + (head(values).argmax(-1) == test.labels[:, part]).sum(1)
    return [hits / count for hits in correct.tolist()]


@torch.no_grad()
def _validate(
    head: Head, seed: int, samples: Samples, rows: Tensor
) -> tuple[float | None, float | None]:
    """Return one seed's accuracy and mean loss on its held-out rows, or None for both."""
    if len(rows) == 0:
        return None, None
    own = Samples(
        samples.values[seed % len(samples.values), None],
        samples.labels[seed % len(samples.labels), None],
    )
    values, labels = own.at(rows[None])
    logits = head.alone(seed)(values)
    accuracy = (logits.argmax(-1) == labels).float().mean().item()
    return accuracy, losses(logits, labels).mean().item()
