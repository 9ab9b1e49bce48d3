"""FADE with every user in every round beside the same game on all their samples at one place.

Users of equal samples take one step each on a mini-batch of equal size; the server takes over the
mean of what they send. Plain descent is linear in the gradient, so that the mean of their weights
is one step along the mean of their gradients, whatever part of the network it is.
"""

import torch
from torch import Tensor
from torch.nn import functional

from fbftl.methods.fade.discriminator import (
    AdversarialStep,
    Networks,
    ParticipantBatch,
    Rules,
    gradient_reversed,
    group_losses,
)
from fbftl.models.heads import stacked
from fbftl.study.job import Training

USERS, SAMPLES, COLUMNS, Z, CLASSES = 4, 32, 16, 8, 3
ROUNDS, WEIGHT, RATE = 20, 0.5, 0.1


def largest_difference() -> float:
    """Return how far the weights are apart at most after as many rounds as steps."""
    federated, central = _initial(), _initial()
    draws = torch.Generator().manual_seed(0)
    for _ in range(ROUNDS):
        inputs = torch.randn(USERS, SAMPLES, COLUMNS, generator=draws)
        labels = torch.randint(CLASSES, (USERS, SAMPLES), generator=draws)
        _federated_round(federated, inputs, labels)
        _central_step(central, inputs.flatten(0, 1)[None], labels.flatten()[None])
    return float((federated.flat() - central.flat()).abs().max())


def _initial() -> Networks:
    """Return networks at their initial values, of two groups."""
    widths = [COLUMNS, 16, Z], [Z, CLASSES], [Z, 16, 1]
    encoder, task, group = (stacked(part, [0], torch.device("cpu")) for part in widths)
    return Networks(encoder, task, group, ends=False)


def _groups() -> Tensor:
    return torch.arange(USERS) % 2


def _federated_round(networks: Networks, inputs: Tensor, labels: Tensor) -> None:
    everyone = torch.ones(USERS, dtype=torch.bool)
    copies = networks.copies(USERS)
    training = Training(
        epochs=1, batch=0, clients_per_round=USERS, learning_rate=RATE, momentum=0.0,
        weight_decay=0.0, validation=0.0, selection="last",
    )  # fmt: skip
    share = torch.full((USERS, SAMPLES), 1 / SAMPLES)
    users = ParticipantBatch(_groups(), everyone, everyone, WEIGHT)
    AdversarialStep(copies, Rules("plain"), training).step(inputs, labels, share, users)
    networks.fill(copies.flat().mean(0, keepdim=True))


def _central_step(networks: Networks, inputs: Tensor, labels: Tensor) -> None:
    """Take one step of all parts on pooled samples (1, n), those of the first user first."""
    parameters = [p.requires_grad_() for part in networks.parts.values() for p in part.parameters()]
    z = networks.representation(inputs)
    logits = networks.logits(z)
    group = _groups().repeat_interleave(SAMPLES)[None]
    game = group_losses(networks, "z", gradient_reversed(z, WEIGHT), logits, group)
    loss = functional.cross_entropy(logits[0], labels[0]) + game.mean()
    with torch.no_grad():
        for parameter, gradient in zip(
            parameters, torch.autograd.grad(loss, parameters), strict=True
        ):
            parameter -= RATE * gradient
