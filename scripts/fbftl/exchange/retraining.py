"""FedFeat+'s rounds: those of FedAvg, after which the server retrains the classifier on features.

Features and labels travel with the weights, in one message of three parts, where they are of the
client's own extractor. Features of the averaged extractor need a further message each way: it goes
down once the weights are averaged, and features and labels come up.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from torch import Tensor

from fbftl.exchange.averaging import Server, by_samples, by_weights
from fbftl.exchange.protection import feature_noise
from fbftl.exchange.repetition import Train, parameter_count
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.study.job import Job
from fbftl.study.release import noise_seed
from fbftl.tasks.task import HeldSamples, Repetition
from fbftl.training.batches import Round, Rounds
from fbftl.training.feature_network import Asked, FeatureNetwork, Told


def feature_network(job: Job, held: HeldSamples) -> Callable[[Repetition], FeatureNetwork]:
    """Return what makes a repetition's network, which tells features as the setting asks."""
    setting = job.setting

    def begin(repetition: Repetition) -> FeatureNetwork:
        noise = feature_noise(job, len(repetition.clients), repetition.seed)
        asked = Asked(
            setting.features_from,
            setting.server_epochs,
            setting.feature_clip,
            noise,
            setting.server_step,
            noise_seed(job, repetition.seed),
        )
        return held.local(repetition, of=partial(FeatureNetwork, asked=asked))

    return begin


def weights_and_features(learner: FeatureNetwork) -> Traffic:
    """Return what is exchanged in a round's first messages; a label counts as one number."""
    count = parameter_count(learner)

    def told(samples: np.ndarray) -> dict[str, int | np.ndarray]:
        if not learner.sends_features:
            return {"weights": count}
        return {"weights": count} | _told(learner, samples)

    return Traffic(told, {"weights": count})


def _told(learner: FeatureNetwork, samples: np.ndarray) -> dict[str, np.ndarray]:
    return {"features": learner.width * samples, "labels": samples}


def by_retraining(job: Job) -> Train:
    """Return training by averages of weights and retraining of the classifier after each."""
    aggregate = equally if job.setting.weighting == "equal" else by_samples

    def train(learner: FeatureNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        def after(_: FeatureNetwork, one: Round, arrives: np.ndarray) -> None:
            if learner.asked.epochs:
                learner.retrain(one.turn, _heard(learner, uplink, one, arrives))

        return by_weights(lambda: Server(aggregate, after=after))(learner, uplink, schedule)

    return train


def equally(weights: Tensor, counts: np.ndarray) -> Tensor:
    """Return the average (X,) of clients' weights (A, X) that all count alike."""
    return weights.mean(0)


def _heard(learner: FeatureNetwork, uplink: Uplink, one: Round, arrives: np.ndarray) -> list[Told]:
    """Return what the server hears of features in a round."""
    if learner.sends_features:
        return learner.told(one, arrives)
    down = {"weights": learner.extractor_floats}
    answered = uplink.again(one, down, _told(learner, one.counts))
    return [
        learner.extracted(int(one.clients[place]), one.rows[place][one.present[place]])
        for place in np.flatnonzero(answered)
    ]
