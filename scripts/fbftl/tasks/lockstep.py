"""What heads that train in lockstep work with: their mini-batches, and the uploads of each."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from fbftl.ground.room import parts
from fbftl.messages.vectors import Vectors
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Received
from fbftl.training import batches
from fbftl.training.network import LabelledInputs
from fbftl.training.stacked import StackedSamples


def labelled(values: np.ndarray, labels: np.ndarray, inputs: Inputs) -> LabelledInputs:
    """Put labels (n,) on the training device, and values (n, ...) if there is room for them."""
    own = torch.from_numpy(values)
    if inputs.room.fits(values.shape):
        own = own.to(inputs.device)
    return LabelledInputs(own, torch.from_numpy(labels.astype(np.int64)).to(inputs.device))


def schedule(job: Job, samples: int, own: Sequence[Received]) -> Iterator[batches.Epoch]:
    """Return the server's mini-batches under one setting.

    The number of iterations is that of the complete data, whatever arrived: with fewer samples
    the paper trains for as many iterations (Sec. IV-D, I'U' of the order of IU).
    """
    training, rows = job.training, [one.training for one in own]
    steps = -(-samples // training.batch)
    shape = (training.batch, steps, training.epochs, [one.seed for one in own])
    if job.setting.loss == "reshuffled":
        return batches.reshuffled(rows, job.setting.plr, *shape)
    return batches.shuffled(rows, *shape)


def received(every: Sequence[Received], inputs: Inputs) -> Callable[[int], StackedSamples]:
    """Return what the server works with at each epoch: the uploads, which never change.

    Under the public script's semantics the noise is drawn anew every epoch instead (audit A3).

    Args:
        every: those that train together; all of them redraw their noise, or none.
        inputs: say where the features go.

    Returns:
        Samples for a head each, by epoch from 0.
    """
    if every[0].redrawn is not None:
        return lambda epoch: on_device(every, [own.redrawn(epoch) for own in every], inputs)
    uploads = on_device(every, [own.payload for own in every], inputs)
    return lambda epoch: uploads


def on_device(
    every: Sequence[Received], payloads: Sequence[Vectors], inputs: Inputs
) -> StackedSamples:
    """Put what the server read where it is trained on, scaled, each distinct payload once.

    Args:
        every: what each head works with.
        payloads: the payload of each.
        inputs: say where they go.
    """
    distinct = {id(own): (own, one) for own, one in zip(payloads, every, strict=True)}
    place = {key: number for number, key in enumerate(distinct)}
    values = scaled(
        [torch.from_numpy(own.values) for own, _ in distinct.values()],
        [float(one.scale(own.numbers)) for own, one in distinct.values()],
        inputs,
    )
    labels = [torch.from_numpy(own.labels) for own, _ in distinct.values()]
    release = torch.tensor([place[id(own)] for own in payloads], device=inputs.device)
    return StackedSamples(values, torch.stack(labels).to(inputs.device), release)


def scaled(values: Sequence[torch.Tensor], scales: Sequence[float], inputs: Inputs) -> torch.Tensor:
    """Return values (n, width), each times its scale, stacked: on the device if there is room."""
    shape = (len(values), *values[0].shape)
    together = (
        torch.empty(shape, device=inputs.device)
        if inputs.room.fits(shape)
        else torch.from_numpy(inputs.room.empty(shape))
    )
    for place, own, scale in zip(together, values, scales, strict=True):
        for part in parts(tuple(own.shape)):
            place[part].copy_(own[part]).mul_(scale)
    return together
