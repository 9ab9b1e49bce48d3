"""CCVR's one more message (Luo et al. 2021, arXiv:2106.05001), after the last round of FedAvg.

Every client is sent the averaged extractor and answers with the statistics of each class's
features: their number, their sum, their second moments. The server adds them up, draws as many
virtual features of a class as it has samples from the normal distribution of its mean and
covariance, and retrains the classifier on them. The sum may be masked.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from fbftl.exchange.averaging import Server, by_weights
from fbftl.exchange.repetition import Train
from fbftl.exchange.secure_sum import FLOATS_PER_NUMBER, SecureSum
from fbftl.exchange.uplink import Uplink
from fbftl.ground.randomness import stream
from fbftl.messages.codec import encode
from fbftl.messages.release import encoded
from fbftl.messages.statistics import Statistics, length
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, Repetition
from fbftl.training.batches import Round, Rounds
from fbftl.training.feature_network import Asked, FeatureNetwork


def calibrated_network(job: Job, held: HeldSamples) -> Callable[[Repetition], FeatureNetwork]:
    """Return what makes a repetition's network, which asks for features of the averaged extractor.

    Args:
        job: the setting with its training values.
        held: what the clients hold.
    """
    asked = Asked("averaged", job.setting.server_epochs)

    def begin(repetition: Repetition) -> FeatureNetwork:
        of = partial(FeatureNetwork, asked=asked, clients=repetition.clients)
        return held.local(repetition, of=of)

    return begin


def by_calibrating(job: Job, classes: int) -> Train:
    """Return training by averages of weights, with the classifier calibrated after the last."""
    last, masked = job.training.rounds, job.setting.aggregation == "masked"

    def train(learner: FeatureNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        def after(_: FeatureNetwork, one: Round, arrives: np.ndarray) -> None:
            if one.turn == last and learner.asked.epochs:
                calibrate(learner, uplink, last, classes, masked)

        return by_weights(lambda: Server(after=after))(learner, uplink, schedule)

    return train


def calibrate(
    learner: FeatureNetwork, uplink: Uplink, turn: int, classes: int, masked: bool
) -> None:
    """Exchange statistics and retrain the classifier on virtual features, if any arrive.

    Args:
        learner: with the averaged weights.
        uplink: through which everything goes.
        turn: the last round.
        classes: number of classes N.
        masked: whether the server learns the sum of the messages alone.
    """
    uplink.post.broadcast({"weights": learner.extractor_floats}, turn)
    said = _Messages(learner, classes)
    total = (_masked_sum if masked else _open_sum)(uplink, said, turn)
    drawn = stream(learner.seed, "virtual_features")
    features, labels = virtual_features(total, classes, learner.width, drawn)
    if len(labels):
        device = learner.lessons.samples.labels.device
        shaped = torch.from_numpy(features).view(-1, *learner.shape).to(device)
        learner.retrain_on(turn, shaped, torch.from_numpy(labels).to(device))


@dataclass(frozen=True)
class _Messages:
    """Every client's message, made where it is asked for: all of them need not fit memory."""

    learner: FeatureNetwork
    classes: int

    def __getitem__(self, client: int) -> np.ndarray:
        told = self.learner.extracted(client, self.learner.clients[client])
        features = told.clean.flatten(1).cpu().numpy()
        return class_statistics(features, told.labels.cpu().numpy(), self.classes)

    def __len__(self) -> int:
        return len(self.learner.clients)

    @property
    def numbers(self) -> int:
        """Numbers of one message."""
        return self.classes * length(1, self.learner.width)


def _open_sum(uplink: Uplink, said: _Messages, turn: int) -> np.ndarray:
    parts = {"statistics": said.numbers}
    content = encoded(encode(message.astype(np.float32)) for message in said)
    receipt = uplink.post.up(parts, uplink.owners, turn, content=content)
    uplink.count(receipt, parts)
    arrived = (said[place].astype(np.float32) for place in np.flatnonzero(receipt.arrives))
    return sum(arrived, np.zeros(said.numbers))


def _masked_sum(uplink: Uplink, said: _Messages, turn: int) -> np.ndarray:
    summed = SecureSum(uplink.post).of(said, uplink.owners, turn, part="statistics")
    uplink.count(summed.receipt, {"statistics": FLOATS_PER_NUMBER * said.numbers})
    return np.zeros(said.numbers) if summed.total is None else summed.total


def class_statistics(features: np.ndarray, labels: np.ndarray, classes: int) -> np.ndarray:
    """Return number, sum and second moments of each class, flat: N (1 + d + d (d + 1) / 2).

    Args:
        features: (n, d).
        labels: (n,).
        classes: number of classes N.
    """
    alone = (features[labels == own] for own in range(classes))
    return np.concatenate(
        [Statistics.of(own, np.zeros(len(own), dtype=np.int64), 1).numbers() for own in alone]
    )


def virtual_features(
    total: np.ndarray, classes: int, width: int, draws: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return virtual features (n, d) float32 with labels (n,), as many of a class as samples.

    Args:
        total: summed statistics, as `class_statistics` gives them.
        classes: number of classes N.
        width: numbers of one sample's features d.
        draws: of the normal numbers.
    """
    features, labels = [np.zeros((0, width), np.float32)], [np.zeros(0, np.int64)]
    for own, numbers in enumerate(np.split(total, classes)):
        known = Statistics.of_numbers(numbers, 1, width)
        count = round(known.total)
        if not count:
            continue
        values, vectors = np.linalg.eigh(known.within / max(count - 1, 1))
        root = vectors * np.sqrt(values.clip(min=0))
        drawn = known.means[0] + draws.standard_normal((count, width)) @ root.T
        features.append(drawn.astype(np.float32))
        labels.append(np.full(count, own))
    return np.concatenate(features), np.concatenate(labels)
