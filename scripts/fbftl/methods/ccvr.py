"""CCVR (Luo et al. 2021, arXiv:2106.05001): FedAvg, then a classifier calibrated by statistics.

After the last round every client is sent the averaged extractor and answers once with the
statistics of each class's features: their number, their sum, their second moments. The server adds
them up, draws as many virtual features of a class as it has samples from the normal distribution of
its mean and covariance, and retrains the classifier on them: one further message where FedFeat+ has
one a round. The last point of its curve is after the calibration.

Under `aggregation: masked` the statistics alone go through a secure sum; nothing bounds the
features of a trained extractor, so that its numbers have whole words. The weights of every round
are open: the server sees each client's.
"""

from collections.abc import Iterable
from functools import partial

import numpy as np
import torch

from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.secure_sum import RING_MEASURES, SecureSum, VectorOf
from fbftl.exchange.uplink import Uplink
from fbftl.ground.randomness import stream
from fbftl.ground.ring import Ring
from fbftl.messages.codec import encode
from fbftl.messages.encoded import digested_messages
from fbftl.messages.statistics import Statistics, length
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.tasks.task import Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    summed = job.setting.aggregation != "open"
    ring = Ring(fraction_bits=job.setting.fraction_bits) if summed else None
    request = FeatureRequest("averaged", job.setting.server_epochs)
    last = job.network_training.local_rounds

    def initial_learner(repetition: Repetition) -> FeatureNetwork:
        of = partial(FeatureNetwork, request=request, clients=repetition.clients)
        return local_network(client_data, repetition, of=of)

    def train(learner: FeatureNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        def after(_: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
            if round_.number == last and learner.request.epochs:
                secure = None if ring is None else SecureSum(uplink.post, ring)
                calibrate(learner, uplink, last, client_data.classes, secure)

        return by_weights(lambda: Server(after=after))(learner, uplink, schedule)

    outcome = run_rounds(
        job, client_data, initial_learner, weights_or_updates(job), inputs.room.folder, train
    )
    return outcome if ring is None else outcome.with_more(lambda _: ring.record, RING_MEASURES)


def calibrate(
    learner: FeatureNetwork, uplink: Uplink, round_number: int, classes: int,
    secure: SecureSum | None,
) -> None:  # fmt: skip
    """Exchange statistics and retrain the classifier on virtual features, if any arrive.

    Args:
        learner: with the averaged weights.
        uplink: through which everything goes.
        round_number: the last round.
        classes: number of classes N.
        secure: by which the server learns the sum of the messages alone; None where it sees each.
    """
    uplink.post.broadcast({"weights": learner.client_floats}, round_number)
    numbers = classes * length(1, learner.width)

    def message(client: int) -> np.ndarray:
        extracted = learner.extracted(client, learner.clients[client])
        features = extracted.clean.flatten(1).cpu().numpy()
        return class_statistics(features, extracted.labels.cpu().numpy(), classes)

    if secure is None:
        total = _open_sum(uplink, message, numbers, round_number)
    else:
        summed = secure.of(message, uplink.owners, round_number, part="statistics")
        uplink.count(summed.receipt, {"statistics": secure.ring.floats(numbers)})
        total = np.zeros(numbers) if summed.total is None else summed.total
    draws = stream(learner.seed, "virtual_features")
    features, labels = virtual_features(total, classes, learner.width, draws)
    if len(labels):
        device = learner.training_data.samples.labels.device
        shaped = torch.from_numpy(features).view(-1, *learner.crossing_shape).to(device)
        learner.retrain_on(round_number, shaped, torch.from_numpy(labels).to(device))


def _open_sum(uplink: Uplink, message: VectorOf, numbers: int, round_number: int) -> np.ndarray:
    parts = {"statistics": numbers}
    content = digested_messages(
        encode(message(client).astype(np.float32)) for client in range(len(uplink.owners))
    )
    receipt = uplink.post.up(parts, uplink.owners, round_number, content=content)
    uplink.count(receipt, parts)
    places = np.flatnonzero(receipt.arrives).tolist()
    arrived = (message(client).astype(np.float32) for client in places)
    return sum(arrived, np.zeros(numbers))


def class_statistics(features: np.ndarray, labels: np.ndarray, classes: int) -> np.ndarray:
    """Return number, sum and second moments of each class, flat: N (1 + d + d (d + 1) / 2).

    Args:
        features: (n, d).
        labels: (n,).
        classes: number of classes N.
    """
    alone = (features[labels == label] for label in range(classes))
    return np.concatenate(
        [
            Statistics.of(values, np.zeros(len(values), dtype=np.int64), 1).numbers()
            for values in alone
        ]
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
    for label, numbers in enumerate(np.split(total, classes)):
        statistics = Statistics.of_numbers(numbers, 1, width)
        count = round(statistics.total)
        if not count:
            continue
        values, vectors = np.linalg.eigh(statistics.within / max(count - 1, 1))
        root = vectors * np.sqrt(values.clip(min=0))
        virtual = statistics.means[0] + draws.standard_normal((count, width)) @ root.T
        features.append(virtual.astype(np.float32))
        labels.append(np.full(count, label))
    return np.concatenate(features), np.concatenate(labels)
