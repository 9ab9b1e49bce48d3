"""FedAvg on a head (McMahan et al. 2017): local epochs on the cached features, weights averaged.

The extractor is frozen and sent once, as under FTL_c, which is FedSGD on the same head. The head of
round 1 is random, zero, or solved from one upload of class means, to be tuned from there (Legate et
al. 2023). The server takes a round's average as it is, or steps towards it with momentum or Adam.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, compress, encode
from fbftl.messages.encoded import digested_messages
from fbftl.messages.statistics import ClassMeans
from fbftl.models.heads import head_module
from fbftl.study.job import Job, KnownAxes
from fbftl.training.batches import Rounds
from fbftl.training.closed_form import LinearHead, lda
from fbftl.training.curves import ExtraMeasures, Measure
from fbftl.training.local_network import LocalNetwork, LocalTrainingData
from fbftl.training.local_updates import FEDAVG, SplitModel
from fbftl.training.network import evaluate
from fbftl.training.tasks.task import (
    Inputs,
    LabelledFeatures,
    Outcome,
    Repetition,
    labelled_features,
)

AT_START = {
    "start_accuracy": Measure("share", "higher"),
    "start_validation_accuracy": Measure("share", "higher"),
}
"""Accuracy of the head before the first round."""


class LocalHead(LocalNetwork):
    """A head of random initial values, which clients train for local epochs on features."""

    def __init__(self, client_data: LabelledFeatures, repetition: Repetition) -> None:
        widths = [client_data.width, *repetition.job.block["head"], client_data.classes]
        head = head_module(widths, repetition.seed).to(client_data.inputs.device)
        samples = client_data.samples
        data = LocalTrainingData(
            repetition, client_data.training_data(repetition, samples), client_data.classes
        )
        split, hooks = SplitModel(nn.Identity(), head), data.hooks(FEDAVG)
        super().__init__(split, data.by_rounds(), data.plan, repetition.seed, hooks)
        self.layers = [layer for layer in head if isinstance(layer, nn.Linear)]
        self.clients, self._client_data = repetition.clients, client_data

    def means(self) -> ClassMeans:
        """Return the class means of each client's training samples, by its number."""
        payload, rows = self._client_data.payload, np.concatenate(self.clients)
        client = np.repeat(np.arange(len(self.clients)), list(map(len, self.clients)))
        return ClassMeans.of(payload.values[rows], payload.labels[rows], client, payload.classes)

    def note_start(self) -> None:
        """Keep what the head is worth before the first round."""
        data = self.training_data
        every = {"start_accuracy": (data.test, np.arange(len(data.test.labels)))}
        every["start_validation_accuracy"] = data.samples, data.validation
        self._at_start = {
            name: evaluate(self.model, samples, rows).accuracy
            for name, (samples, rows) in every.items()
            if len(rows)
        }

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return what the head was worth before the first round."""
        return ExtraMeasures(numbers=self._at_start, measures=AT_START)


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed by rounds of local epochs on cached features."""
    setting, client_data = job.setting, labelled_features(job, inputs)
    if setting.client_rate is not None:
        training = replace(job.network_training, learning_rate=setting.client_rate)
        job = replace(job, training=training)

    def exchanged(learner: LocalNetwork) -> Traffic:
        return replace(weights_or_updates(job)(learner), frozen=client_data.frozen_floats)

    def train(learner: LocalHead, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        begin(job, learner, uplink)
        learner.note_start()
        return by_weights(partial(server_of, setting))(learner, uplink, schedule)

    learner_of = partial(LocalHead, client_data)
    return run_rounds(job, client_data, learner_of, exchanged, inputs.room.folder, train)


def begin(job: Job, learner: LocalHead, uplink: Uplink) -> None:
    """Give a learner the start of its setting; where no upload arrives it stays random."""
    setting = job.setting
    if setting.start == "zero":
        for parameter in learner.layers[-1].parameters():
            nn.init.zeros_(parameter)
    if setting.start == "means":
        compression = Compression(setting.start_bits, setting.start_keep)
        means = uploaded_means(uplink, learner.means(), compression)
        if len(means.counts):
            hold(
                learner.layers, lda(means.estimated(), job.block["one_shot"]["shrinkage"][:1]).head
            )


def uploaded_means(uplink: Uplink, means: ClassMeans, compression: Compression) -> ClassMeans:
    """Send each client's class means in one message; return what the server reads.

    A message has plain counts, then the means of the classes that the client has, labelled.

    Args:
        uplink: of the repetition; its client numbers are those of the means.
        means: of all clients, in the order of these numbers.
        compression: q and r of the means.
    """
    clients = np.arange(len(uplink.owners))
    first = np.searchsorted(means.client, clients)
    of_client = list(map(slice, first, [*first[1:], len(means.client)]))
    messages = digested_messages(
        encode(means.counts[places])
        + encode(means.means[places], means.label[places], means.classes, compression)
        for places in of_client
    )
    floats = np.array([means.means[places].size for places in of_client])
    receipt = uplink.post.up(
        {"statistics": floats}, uplink.owners, content=messages, compression=compression
    )
    read = replace(means, means=compress(means.means, compression).values)
    return read.at(receipt.arrives[read.client])


@torch.no_grad()
def hold(layers: Sequence[nn.Linear], solved: LinearHead) -> None:
    """Give a perceptron the scores of a linear head, less their mean over the classes.

    No softmax tells them from the scores z = w x + b, and smaller ones are tuned at larger rates.
    Two hidden units a class hold relu(z) and relu(-z), whose difference is z and which further
    layers hand on. What the other units give begins with weight zero, so that they can be learned.

    Args:
        layers: the perceptron's, with ReLU between them; hidden ones have two units a class.
        solved: the linear head; a class that it never predicts gets the least bias.

    Raises:
        UserError: if a hidden layer is too narrow.
    """
    units = min((layer.out_features for layer in layers[:-1]), default=2 * len(solved.bias))
    if units < 2 * len(solved.bias):
        raise UserError(
            f"a solved head of {len(solved.bias)} classes takes two units of each hidden layer for "
            f"each, and one has {units}; give head wider layers, or use start: random"
        )
    *hidden, last = layers
    finite = np.isfinite(solved.bias)
    finite_bias = np.where(finite, solved.bias, solved.bias[finite].min(initial=0.0))
    weights, bias = (
        torch.from_numpy(values - values.mean(axis=0)).to(last.weight)
        for values in (solved.weights, finite_bias)
    )
    both_signs = torch.eye(len(bias)).to(weights).repeat(1, 2)
    both_signs[:, len(bias) :].neg_()
    for layer in hidden:
        weights, bias = both_signs.T @ weights, both_signs.T @ bias
        layer.weight[: len(bias)], layer.bias[: len(bias)] = _widened(weights, layer), bias
        weights, bias = both_signs, torch.zeros_like(bias[len(both_signs) :])
    last.weight.copy_(_widened(weights, last))
    last.bias.copy_(bias)


def _widened(weights: torch.Tensor, layer: nn.Linear) -> torch.Tensor:
    """Return weights (m, k) of a layer's first k inputs with zeros for the others."""
    return nn.functional.pad(weights, (0, layer.in_features - weights.shape[1]))


MOMENTUM = 0.9
"""Of FedAvgM (Hsu et al. 2019), and of the first moment of FedAdam."""

SECOND_MOMENT, ADAPTIVITY = 0.99, 1e-3
"""Of FedAdam, as Reddi et al. (2021) have them: beta_2 and tau."""

Direction = Callable[[Tensor], Tensor]
"""From the way (X,) between a round's weights and its average to the server's step."""


def server_of(setting: KnownAxes) -> Server:
    """Return the server of one repetition."""
    direction = {"average": lambda way: way, "momentum": momentum(), "adam": adam()}
    step, rate = direction[setting.server_optimiser], setting.server_rate
    if (setting.server_optimiser, rate) == ("average", 1.0):
        return Server()
    return Server(move=lambda before, average: before + rate * step(average - before))


def momentum() -> Direction:
    """Return FedAvgM's direction, v <- 0.9 v + way."""
    velocity: Tensor | float = 0.0

    def direction(way: Tensor) -> Tensor:
        nonlocal velocity
        velocity = MOMENTUM * velocity + way
        return velocity

    return direction


def adam() -> Direction:
    """Return FedAdam's direction, m / (sqrt(v) + tau), without correction of the first steps."""
    first: Tensor | float = 0.0
    second: Tensor | float = 0.0

    def direction(way: Tensor) -> Tensor:
        nonlocal first, second
        first = MOMENTUM * first + (1 - MOMENTUM) * way
        second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * way.square()
        return first / (torch.as_tensor(second).sqrt() + ADAPTIVITY)

    return direction
