"""Heads that a server trains stacked, in lockstep, on the uploads of each: plain SGD.

FbFTL's are told with what ridge regression on the same uploads comes to.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding

from fbftl.ground.errors import required
from fbftl.ground.logs import log
from fbftl.ground.room import parts
from fbftl.messages.payload import Vectors
from fbftl.messages.statistics import Statistics
from fbftl.models.heads import Head, losses, stacked
from fbftl.models.modes import digests
from fbftl.study.job import FAR_BEHIND, Job, Training
from fbftl.training import batches
from fbftl.training.batches import Epoch
from fbftl.training.closed_form import ridge
from fbftl.training.curves import Curves, record
from fbftl.training.optimisers import ANNEALING, StackedSgd
from fbftl.training.tasks.task import Fit, Inputs, LabelledFeatures, Received, Score

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
        training: learning rate, momentum, weight decay.
    """
    parameters = head.parameters()
    optimizer = StackedSgd(parameters, training)
    curves = [Curves() for _ in held_out]
    rate = ANNEALING[training.annealing](training.epochs) if training.annealing != "none" else None
    for number, epoch in enumerate(schedule):
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
            optimizer.step(torch.autograd.grad(mean, parameters))
            step_losses.append(loss.detach())
        mean_loss = mean_losses((torch.stack(step_losses) * weights).view_as(rows)).tolist()
        right = answers(head, test)
        validation = [
            _validate(head.at(slice(h, h + 1)), samples.of(h), held_out_rows)
            for h, held_out_rows in enumerate(held_out)
        ]
        models = digests(parameters)
        for h, curve in enumerate(curves):
            accuracy = float(right[h].mean())
            curve.append(mean_loss[h], *validation[h], accuracy, models[h], right[h])
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


def train_on_received(
    client_data: LabelledFeatures, settings: Sequence[Sequence[Received[Vectors]]]
) -> list[list[Fit]]:
    """Train a head at the server for each setting and seed, all stacked and in lockstep."""
    every = [received for setting in settings for received in setting]
    job, device = every[0].job, client_data.inputs.device
    seen = [
        np.zeros((len(setting), _rows_of(client_data, setting)), dtype=bool) for setting in settings
    ]
    samples_at, test = uploads(every, client_data.inputs), scaled_test(client_data, every)
    held_out = [torch.from_numpy(received.validation).to(device) for received in every]
    clients = len(client_data.partition.client)
    planned = [schedule(setting[0].job, clients, setting) for setting in settings]
    epochs = batches.side_by_side([*map(batches.observed, planned, seen)])
    widths = [client_data.width, *job.block["head"], client_data.classes]
    heads = stacked(widths, [received.seed for received in every], device)
    curves = train(heads, epochs, samples_at, held_out, test, job.network_training)
    scores = (Score(record(curve, job.training.selection)) for curve in curves)
    counts = (int(mark.sum()) for setting in seen for mark in setting)
    each_head = (heads.at(slice(index, index + 1)) for index in range(len(every)))
    fits = map(Fit, scores, counts, each_head)
    return [[next(fits) for _ in setting] for setting in settings]


def _rows_of(client_data: LabelledFeatures, setting: Sequence[Received[Vectors]]) -> int:
    """Return how many rows there are: the clients', or those that a server drew if more."""
    last = (int(received.training.max(initial=-1)) for received in setting)
    return max(len(client_data.rows), 1 + max(last))


def scaled_test(
    client_data: LabelledFeatures, every: Sequence[Received[Vectors]]
) -> StackedSamples:
    """Return the test split for every head, scaled as its training samples are."""
    scale_of = [float(received.scale(client_data.width)) for received in every]
    scales = list(dict.fromkeys(scale_of))
    values = scaled([client_data.test.inputs] * len(scales), scales, client_data.inputs)
    release = torch.tensor(
        [scales.index(scale) for scale in scale_of], device=client_data.inputs.device
    )
    return StackedSamples(values, client_data.test.labels.expand(len(scales), -1), release)


def schedule(
    job: Job, samples: int, received: Sequence[Received[Vectors]]
) -> Iterator[batches.Epoch]:
    """Return the server's mini-batches under one setting.

    The number of iterations is that of the complete data, whatever arrived: with fewer samples
    the paper trains for as many iterations (Sec. IV-D, I'U' of the order of IU).
    """
    training, rows = job.network_training, [repetition.training for repetition in received]
    steps = -(-samples // training.batch)
    shape = (training.batch, steps, training.epochs, [repetition.seed for repetition in received])
    if job.setting.loss == "reshuffled":
        return batches.reshuffled(rows, job.setting.plr, *shape)
    return batches.shuffled(rows, *shape)


def uploads(every: Sequence[Received[Vectors]], inputs: Inputs) -> Callable[[int], StackedSamples]:
    """Return what the server works with at each epoch: the uploads, which never change.

    Under the public script's semantics the noise is drawn anew every epoch instead (audit A3).

    Args:
        every: those that train together; all of them redraw their noise, or none.
        inputs: say where the features go.

    Returns:
        Samples for a head each, by epoch from 0.
    """
    if every[0].redrawn is not None:
        draws = [required(received.redrawn) for received in every]
        return lambda epoch: on_device(every, [redrawn(epoch) for redrawn in draws], inputs)
    sent = on_device(every, [received.payload for received in every], inputs)
    return lambda epoch: sent


def on_device(
    every: Sequence[Received[Vectors]], payloads: Sequence[Vectors], inputs: Inputs
) -> StackedSamples:
    """Put what the server read where it is trained on, scaled, each distinct payload once.

    Args:
        every: what each head works with.
        payloads: the payload of each.
        inputs: say where they go.
    """
    distinct = {
        id(payload): (payload, received) for payload, received in zip(payloads, every, strict=True)
    }
    index = {key: number for number, key in enumerate(distinct)}
    values = scaled(
        [torch.from_numpy(payload.values) for payload, _ in distinct.values()],
        [float(received.scale(payload.numbers)) for payload, received in distinct.values()],
        inputs,
    )
    labels = [torch.from_numpy(payload.labels) for payload, _ in distinct.values()]
    release = torch.tensor([index[id(payload)] for payload in payloads], device=inputs.device)
    return StackedSamples(values, torch.stack(labels).to(inputs.device), release)


def scaled(values: Sequence[torch.Tensor], scales: Sequence[float], inputs: Inputs) -> torch.Tensor:
    """Return values (n, width), each times its scale, stacked: on the device if there is room."""
    shape = (len(values), *values[0].shape)
    together = (
        torch.empty(shape, device=inputs.device)
        if inputs.room.fits(shape)
        else torch.from_numpy(inputs.room.empty(shape))
    )
    for target, source, scale in zip(together, values, scales, strict=True):
        for part in parts(tuple(source.shape)):
            target[part].copy_(source[part]).mul_(scale)
    return together


def train_beside_ridge(
    client_data: LabelledFeatures, settings: Sequence[Sequence[Received[Vectors]]]
) -> list[list[Fit]]:
    """Train heads as `train_on_received`, and add what ridge regression on the same comes to.

    A fixed number of epochs that suits one backbone leaves a head on another far from what its
    features hold, and ridge regression has no epochs. Its λ is chosen as the epoch is, on what is
    held out. A setting whose heads are far behind it is named in the log.
    """
    every = train_on_received(client_data, settings)
    for setting, fits in zip(settings, every, strict=True):
        solved = ridge_accuracies(client_data, setting)
        if solved is None:
            continue
        reached = float(np.mean([fit.score.record["test_accuracy"] for fit in fits]))
        possible = float(np.mean(solved))
        if possible - reached > FAR_BEHIND:
            job = setting[0].job
            log.warning(
                "%s on %s is trained for too short: %.1f%%, and ridge regression on the same "
                "features has %.1f%%; raise training.epochs",
                job.setting.name, job.task, 100 * reached, 100 * possible,
            )  # fmt: skip
        for fit, accuracy in zip(fits, solved, strict=True):
            fit.score.record["ridge_accuracy"] = accuracy
    return every


RATIOS = (0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0)
"""Candidates of λ over the mean eigenvalue; the first is taken where nothing is held out."""

WIDEST = 8192
"""Numbers of a feature above which no ridge regression is solved: it takes d² of memory."""


def ridge_accuracies(
    client_data: LabelledFeatures, setting: Sequence[Received[Vectors]]
) -> list[float] | None:
    """Return the test accuracy of ridge regression on what the server received, by seed.

    None where features are too wide, or their squares are not finite.
    """
    if client_data.width > WIDEST:
        return None
    test = client_data.test.inputs.cpu().numpy(), client_data.test.labels.cpu().numpy()
    accuracies = []
    for received in setting:
        read = received.payload
        training, held_out = (
            Statistics.of(read.values, read.labels, client_data.classes, rows)
            for rows in (received.training, received.validation)
        )
        if not np.isfinite(training.scatter).all():
            return None
        solved = ridge(training, RATIOS, held_out if len(received.validation) else None)
        accuracies.append(solved.head.accuracy(*test))
    return accuracies
