"""The round engine of the gradient methods (Sec. II-A): broadcast, client updates, server step.

In a round U·C clients each send the sum g_u of their per-sample gradients and their count K_u;
the server steps with the average of the sums that arrive over the counts. How a round's gradient
comes about is a `Gradient`: the plain batch gradient where nothing needs single updates, every
client's own update where something does, or a split network.
"""

import math
from collections.abc import Callable, Iterable
from itertools import count

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.exchange.passes import Passes, Round, together
from fbftl.messages.codec import NotFiniteError
from fbftl.study.job import Training
from fbftl.tasks.task import LabelledInputs
from fbftl.training.batches import Rounds
from fbftl.training.client_updates import client_updates, weighted_losses
from fbftl.training.curves import Curves
from fbftl.training.sgd import Sgd

EVALUATION_ROWS = 2048
"""Rows evaluated at once; bounds memory."""


Gradient = Callable[[Round], tuple[Tensor, list[Tensor]]]
"""Returns a round's mean loss and averaged gradient, a tensor per parameter."""

Own = Callable[[Round], np.ndarray]
"""From a round of one client alone to the message (X,) that it sends."""

Arrivals = Callable[[Round], np.ndarray]
"""From a round to which of its clients' messages arrive (C,)."""

Average = Callable[[Round, np.ndarray], np.ndarray]
"""From a round and its clients' updates (C, X) to the average (X,) that the server steps with."""


def batch_gradient(model: nn.Module, arrivals: Arrivals, passes: Passes = together) -> Gradient:
    """Return the gradient of all arriving samples' mean loss."""
    parameters = list(model.parameters())

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        loss = torch.stack(
            [
                weighted_losses(model(inputs), labels, weights).sum()
                for inputs, labels, weights in passes(one, arriving_weights(one, arrivals))
            ]
        ).sum()
        return loss.detach(), list(torch.autograd.grad(loss, parameters))

    return gradient


def own_update(model: nn.Module, passes: Passes = together) -> Own:
    """Return the update g_u of a client: the gradient of its samples' summed loss."""
    updates_of = _updates_apart(model, passes)
    return lambda one: updates_of(one)[1][0].cpu().numpy()


def client_gradient(model: nn.Module, average: Average, passes: Passes = together) -> Gradient:
    """Return the average of the clients' own updates as it comes out of the uplink."""
    parameters = list(model.parameters())
    sizes = [value.numel() for value in parameters]
    updates_of = _updates_together(model) if passes is together else _updates_apart(model, passes)

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        losses, updates = torch.zeros(0), one.inputs.new_zeros(0, sum(sizes))
        if len(one.clients):  # Poisson sampling may take nobody
            losses, updates = updates_of(one)
        mean = torch.from_numpy(average(one, updates.cpu().numpy()))
        parts = mean.to(updates.device).split(sizes)
        loss = losses.sum() / max(int(one.counts.sum()), 1)
        return loss, [part.view_as(p) for part, p in zip(parts, parameters, strict=True)]

    return gradient


def _updates_together(model: nn.Module) -> Callable[[Round], tuple[Tensor, Tensor]]:
    """Return each client's summed loss (C,) and update (C, X) from one pass over all samples."""
    updates_of = client_updates(model)
    return lambda one: updates_of(one.inputs, one.labels, one.present)


def _updates_apart(model: nn.Module, passes: Passes) -> Callable[[Round], tuple[Tensor, Tensor]]:
    """Return each client's summed loss (C,) and update (C, X) from the client's own pass."""
    parameters = list(model.parameters())

    def updates(one: Round) -> tuple[Tensor, Tensor]:
        losses, found = [], []
        for inputs, labels, weights in passes(one, one.present.float()):
            loss = weighted_losses(model(inputs), labels, weights).sum()
            losses.append(loss.detach())
            found.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)]))
        return torch.stack(losses), torch.stack(found)

    return updates


def train_rounds(
    model: nn.Module,
    gradient: Gradient,
    schedule: Iterable[Rounds],
    samples: LabelledInputs,
    held_out: np.ndarray,
    test: LabelledInputs,
    training: Training,
) -> Curves:
    """Train a model in place by rounds and return its curves.

    Once an update cannot be sent because it is not finite, there are no more rounds.

    Args:
        model: on the training device; its parameters are those that are trained.
        gradient: how a round's averaged gradient comes about.
        schedule: the rounds of each epoch.
        samples: the clients' samples.
        held_out: validation rows of `samples`.
        test: the test split.
        training: learning rate, momentum, weight decay.
    """
    parameters = list(model.parameters())
    optimizer = Sgd(parameters, training)
    validation = LabelledInputs(samples.inputs[held_out], samples.labels[held_out])
    curves, numbers = Curves(), count()
    for epoch in schedule:
        losses = []
        for place in range(len(epoch.clients) if not curves.diverged else 0):
            try:
                loss, mean = gradient(_round(epoch, place, next(numbers), samples))
            except NotFiniteError:
                losses.append(math.nan)
                break
            optimizer.step([value.contiguous() for value in mean])
            losses.append(loss.item())
        accuracy, validation_loss = evaluate(model, validation) if len(held_out) else (None, None)
        test_accuracy, _ = evaluate(model, test)
        curves.append(sum(losses) / len(epoch.clients), accuracy, validation_loss, test_accuracy)
    return curves


@torch.no_grad()
def evaluate(model: nn.Module, samples: LabelledInputs) -> tuple[float, float]:
    """Return accuracy and mean loss of a model on samples.

    Samples go through in parts of nearly equal size: where normalisation takes a part's own
    statistics, a last part of a few samples would have poor ones.
    """
    hits, loss = 0, 0.0
    parts = math.ceil(len(samples.labels) / EVALUATION_ROWS)
    for inputs, labels in zip(
        samples.inputs.tensor_split(parts), samples.labels.tensor_split(parts), strict=True
    ):
        logits = model(inputs)
        hits += int((logits.argmax(1) == labels).sum())
        loss += functional.cross_entropy(logits, labels, reduction="sum").item()
    return hits / len(samples.labels), loss / len(samples.labels)


def _round(epoch: Rounds, place: int, number: int, samples: LabelledInputs) -> Round:
    """Return one round of an epoch with its samples; empty places are left out."""
    device = samples.labels.device
    taken = epoch.clients[place] >= 0
    rows = torch.from_numpy(epoch.rows[place][taken]).to(device)
    present = epoch.present[place][taken]
    return Round(
        number,
        samples.inputs[rows],
        samples.labels[rows],
        torch.from_numpy(present).to(device),
        epoch.clients[place][taken],
        present.sum(axis=1),
    )


def arriving_weights(one: Round, arrivals: Arrivals) -> Tensor:
    """Return each sample's weight (C, K) in the mean over what arrives."""
    arrives = torch.from_numpy(arrivals(one)).to(one.present.device)
    counted = one.present & arrives[:, None]
    return counted / counted.sum().clamp(min=1)
