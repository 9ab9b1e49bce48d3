"""Heads that a server trains in lockstep: their mini-batches, and the uploads of each."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from fbftl.ground.errors import required
from fbftl.ground.room import parts
from fbftl.messages.payload import Vectors
from fbftl.models.heads import stacked
from fbftl.study.job import Job
from fbftl.training import batches
from fbftl.training.curves import record
from fbftl.training.stacked import StackedSamples, train
from fbftl.training.tasks.task import Fit, Inputs, LabelledFeatures, Received, Score


def train_on_received(
    client_data: LabelledFeatures, settings: Sequence[Sequence[Received[Vectors]]]
) -> list[list[Fit]]:
    """Train a head at the server for each setting and seed, all stacked and in lockstep."""
    every = [received for setting in settings for received in setting]
    job, device = every[0].job, client_data.inputs.device
    seen = [
        np.zeros((len(setting), _rows_of(client_data, setting)), dtype=bool) for setting in settings
    ]
    schedules = [
        batches.observed(schedule(setting[0].job, len(client_data.partition.client), setting), mark)
        for setting, mark in zip(settings, seen, strict=True)
    ]
    widths = [client_data.width, *job.block["head"], client_data.classes]
    heads = stacked(widths, [received.seed for received in every], device)
    curves = train(
        heads,
        batches.side_by_side(schedules),
        uploads(every, client_data.inputs),
        [torch.from_numpy(received.validation).to(device) for received in every],
        scaled_test(client_data, every),
        job.network_training,
    )
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
