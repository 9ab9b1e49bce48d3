"""Steps of training with the study's models and optimisers, at a small size."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.sgd import sgd

from fbftl.cost.architectures import T5Shape
from fbftl.findings.probe.inputs import integers
from fbftl.findings.probe.tensor_inputs import labels, tensor
from fbftl.models.heads import losses, stacked
from fbftl.models.networks import vgg
from fbftl.models.t5.checkpoint import new_model
from fbftl.models.t5.generate import generate
from fbftl.models.t5.sequences import Sequences
from fbftl.study.job import FineTuning, Training
from fbftl.training.client_updates import client_updates
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import LocalPlan, LocalUpdate, SplitModel, Trained
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.samples import LabelledInputs
from fbftl.training.t5 import SequencePairs, TrainedT5, train_at_server

STEPS = 4


PLAN = Training(
    epochs=1, batch=64, clients_per_round=4, learning_rate=0.1, momentum=0.9, weight_decay=1e-4,
    validation=0.0, selection="last",
)  # fmt: skip


def _head(widths: Sequence[int], optimiser: str, **values: Any) -> list[Tensor]:
    """Return two stacked heads after a few steps, and their losses on the way."""
    head = stacked(widths, [0, 1], torch.device("cpu"))
    stepper = OPTIMISERS[optimiser].stacked(head.parameters(), replace(PLAN, **values))
    rows, classes = tensor(2, 16, widths[0], reach=1), labels(2 * 16, widths[-1]).view(2, 16)
    curve = []
    for _ in range(STEPS):
        loss = losses(head(rows), classes).mean()
        gradients = torch.autograd.grad(loss, stepper.parameters)
        stepper.step([gradient.contiguous() for gradient in gradients])
        curve.append(loss.detach())
    return [head.flat(), torch.stack(curve)]


def _images(count: int, side: int, classes: int) -> LabelledInputs:
    pixels = torch.from_numpy(integers(256, count, 1, side, side)).float() / 255
    return LabelledInputs(pixels, labels(count, classes))


def _federated(train: Callable[..., Trained], side: int, optimiser: str) -> list[Any]:
    """Return what three clients make of a small network, side by side or one after the other."""
    network = _small_network(side)
    split_model = SplitModel(network[:3], network[3:])
    updates = [LocalUpdate(0, 1, c, np.arange(12) + 12 * c) for c in range(3)]
    plan = LocalPlan(2, 5, replace(PLAN, learning_rate=0.05), optimiser)
    trained = train(split_model, _images(36, side, 5), updates, plan)
    return [trained.weights, trained.losses]


def _small_network(side: int) -> torch.nn.Sequential:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return vgg((side, side, 1), [[4, 4], [8]], [20], 5)


def _updates_of_clients() -> list[Any]:
    """Return every client's update of a round."""
    network, samples = _small_network(8), _images(12, 8, 5)
    inputs, classes = samples.inputs.view(3, 4, 1, 8, 8), samples.labels.view(3, 4)
    present = torch.ones(3, 4, dtype=torch.bool)
    present[1, 3] = False
    return [*client_updates(network)(inputs, classes, present)]


def _pretrained() -> list[Any]:
    """Return a network after steps of Nesterov's momentum, as torch.optim.SGD calls them."""
    network, samples = _small_network(8), _images(48, 8, 5)
    parameters: list[Tensor] = list(network.parameters())
    velocities: list[Tensor | None] = [None] * len(parameters)
    for batch in torch.arange(48).view(6, 8):
        at = samples.at(batch.numpy())
        loss = functional.cross_entropy(network(at.inputs), at.labels)
        gradients = list(torch.autograd.grad(loss, parameters))
        with torch.no_grad():
            sgd(
                parameters, gradients, velocities, foreach=False, weight_decay=5e-4, momentum=0.9,
                lr=0.1, dampening=0.0, nesterov=True, maximize=False,
            )  # fmt: skip
    return [loss, [parameter.detach() for parameter in parameters]]


def _dialogues() -> list[Any]:
    """Return a small T5 after an epoch, its losses, and what it then writes."""
    shape = T5Shape(
        vocab_size=90, d_model=32, d_kv=8, d_ff=48, num_heads=4, num_layers=2,
        num_decoder_layers=2, dropout_rate=0.1,
    )  # fmt: skip
    source = new_model(shape, 3).eval()
    lengths = integers(9, 16) + 5
    rows = [3 + integers(80, int(length), draw=n) for n, length in enumerate(lengths)]
    ends = [np.append(row[:4], 1) for row in rows]
    pairs = SequencePairs(Sequences.of(rows), Sequences.of(ends), np.arange(16))
    states = source.embed(pairs.inputs.values[None])[0].detach()
    cached = SequencePairs(Sequences(states, pairs.inputs.offsets), pairs.labels, pairs.clients)
    plan = FineTuning(learning_rate=1e-3, batch=4, epochs=1)
    clients = list(np.arange(12)[:, None])
    learner = TrainedT5(source, 2, cached, clients, np.arange(12, 16), plan, 0)
    head = train_at_server(learner).best()
    curve = [[point.training_loss, point.validation_loss] for point in learner.curve]
    texts = generate(head, 2, cached.inputs, longest=6)
    return [[p.detach() for p in head.parameters()], curve, texts]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "head-sgd": partial(_head, [1280, 48, 10], "sgd"),
    "head-linear": partial(_head, [101, 7], "sgd", momentum=0.0),
    "head-adam": partial(_head, [128, 33, 10], "adam"),
    "head-adadelta": partial(_head, [128, 33, 10], "adadelta", learning_rate=1.0),
    "local-epochs-stacked": partial(_federated, train_clients, 8, "sgd"),
    "local-epochs-alone": partial(_federated, one_by_one, 12, "adam"),
    "updates-of-clients": _updates_of_clients,
    "pre-training": _pretrained,
    "dialogues": _dialogues,
}
"""Every operation by its name."""
