"""The round engine of the gradient methods (Sec. II-A): broadcast, client updates, server step.

In a round U·C clients each send the sum g_u of their per-sample gradients and their count K_u;
the server steps with the average of the sums that arrive over the counts. How a round's gradient
comes about is a `Gradient`: the plain batch gradient where nothing needs single updates, every
client's own update where something does, or a split network.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, vmap
from torch.nn import functional

from fbftl.batches import Rounds
from fbftl.curves import Curves
from fbftl.job import Training


@dataclass(frozen=True)
class Round:
    """What takes part in one round, on the training device.

    inputs: (C, K, ...) samples of C clients, padded to K.
    labels: (C, K).
    present: (C, K) booleans, False on padding.
    clients: (C,) clients, -1 for an empty place.
    arrives: (C,) booleans, False where the update is lost.
    """

    inputs: Tensor
    labels: Tensor
    present: Tensor
    clients: np.ndarray
    arrives: np.ndarray

    def weights(self) -> Tensor:
        """Return each sample's weight (C, K) in the mean over what arrives."""
        counted = self.present & torch.from_numpy(self.arrives).to(self.present.device)[:, None]
        return counted / counted.sum().clamp(min=1)


Gradient = Callable[[Round], tuple[Tensor, list[Tensor]]]
"""Returns a round's mean loss and averaged gradient, a tensor per parameter."""

Uplink = Callable[[np.ndarray, Round], np.ndarray]
"""What becomes of the clients' updates (C, X) on their way to the server."""


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs (n, ...) with labels (n,) on the training device."""

    inputs: Tensor
    labels: Tensor


def batch_gradient(model: nn.Module) -> Gradient:
    """Return the gradient of all arriving samples' mean loss in one pass."""
    parameters = list(model.parameters())

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        logits = model(one.inputs.flatten(0, 1))
        loss = _weighted_loss(logits, one.labels.flatten(), one.weights().flatten())
        return loss.detach(), list(torch.autograd.grad(loss, parameters))

    return gradient


def client_gradient(model: nn.Module, uplink: Uplink) -> Gradient:
    """Return the average of the clients' own updates as they come out of the uplink.

    The clients of a round are one batched pass; each update is the sum of its client's
    per-sample gradients, flattened to (X,).
    """
    parameters = dict(model.named_parameters())

    def loss_of_client(values: dict[str, Tensor], x: Tensor, y: Tensor, weights: Tensor) -> Tensor:
        return _weighted_loss(functional_call(model, values, (x,)), y, weights)

    updates_of = vmap(grad_and_value(loss_of_client), in_dims=(None, 0, 0, 0))

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        current = {name: value.detach() for name, value in parameters.items()}
        sums, losses = updates_of(current, one.inputs, one.labels, one.present.float())
        flat = torch.cat([sums[name].flatten(1) for name in parameters], dim=1)
        sent = torch.from_numpy(uplink(flat.cpu().numpy(), one)).to(flat.device)
        arrives = torch.from_numpy(one.arrives).to(flat.device)
        count = (one.present.sum(1) * arrives).sum().clamp(min=1)
        mean = (sent * arrives[:, None]).sum(0) / count
        sizes = [value.numel() for value in current.values()]
        parts = zip(mean.split(sizes), current.values(), strict=True)
        loss = losses.sum() / one.present.sum().clamp(min=1)
        return loss, [part.view_as(value) for part, value in parts]

    return gradient


def split_gradient(client_part: nn.Module, server_part: nn.Module) -> Gradient:
    """Return the gradient of a split network (SFL): smashed data go up, their gradients down.

    The clients run `client_part` and send its output; the main server runs `server_part`, and
    returns the loss's gradient at that output, from which the clients find their own.
    """
    client_parameters = list(client_part.parameters())
    server_parameters = list(server_part.parameters())

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        smashed = client_part(one.inputs.flatten(0, 1))
        received = smashed.detach().requires_grad_()
        loss = _weighted_loss(server_part(received), one.labels.flatten(), one.weights().flatten())
        *of_server, returned = torch.autograd.grad(loss, [*server_parameters, received])
        of_clients = torch.autograd.grad(smashed, client_parameters, returned)
        return loss.detach(), [*of_clients, *of_server]

    return gradient


def train_rounds(
    model: nn.Module,
    gradient: Gradient,
    schedule: Iterable[tuple[Rounds, np.ndarray]],
    samples: LabelledInputs,
    held_out: np.ndarray,
    test: LabelledInputs,
    training: Training,
) -> Curves:
    """Train a model in place by rounds and return its curves.

    Args:
        model: on the training device; its parameters are those that are trained.
        gradient: how a round's averaged gradient comes about.
        schedule: per epoch its rounds and which updates arrive (T, C).
        samples: the clients' samples.
        held_out: validation rows of `samples`.
        test: the test split.
        training: learning rate, momentum, weight decay.
    """
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(
        parameters,
        lr=training.learning_rate,
        momentum=training.momentum,
        weight_decay=training.weight_decay,
    )
    validation = LabelledInputs(samples.inputs[held_out], samples.labels[held_out])
    curves = Curves()
    for epoch, arrives in schedule:
        total = 0.0
        for rows, present, clients, arriving in zip(
            epoch.rows, epoch.present, epoch.clients, arrives, strict=True
        ):
            chosen = torch.from_numpy(rows).to(samples.labels.device)
            one = Round(
                samples.inputs[chosen],
                samples.labels[chosen],
                torch.from_numpy(present).to(samples.labels.device),
                clients,
                arriving,
            )
            round_loss, mean = gradient(one)
            for parameter, value in zip(parameters, mean, strict=True):
                parameter.grad = value
            optimizer.step()
            total += round_loss.item()
        accuracy, loss = evaluate(model, validation) if len(held_out) else (None, None)
        curves.append(total / len(epoch.rows), accuracy, loss, evaluate(model, test)[0])
    return curves


@torch.no_grad()
def evaluate(model: nn.Module, samples: LabelledInputs, rows: int = 2048) -> tuple[float, float]:
    """Return accuracy and mean loss of a model on samples, `rows` at a time."""
    hits, loss = 0, 0.0
    for inputs, labels in zip(samples.inputs.split(rows), samples.labels.split(rows), strict=True):
        logits = model(inputs)
        hits += int((logits.argmax(1) == labels).sum())
        loss += functional.cross_entropy(logits, labels, reduction="sum").item()
    return hits / len(samples.labels), loss / len(samples.labels)


def _weighted_loss(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted sum of cross-entropies, Eq. (1)."""
    return (functional.cross_entropy(logits, labels, reduction="none") * weights).sum()
