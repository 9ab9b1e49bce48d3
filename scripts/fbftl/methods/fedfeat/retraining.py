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
from fbftl.exchange.repetition import Train, parameter_count
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.learners.local import local_network
from fbftl.methods.fedfeat.noise import feature_noise
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.tasks.task import ClientSamples, Repetition
from fbftl.training.batches import Round, Rounds
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest, ReportedFeatures
from fbftl.training.local_network import LocalNetwork


def feature_network(job: Job, client_data: ClientSamples) -> Callable[[Repetition], FeatureNetwork]:
    """Return what makes a repetition's network, which tells features as the setting asks."""
    setting = job.setting

    def initial_learner(repetition: Repetition) -> FeatureNetwork:
        noise = feature_noise(job, len(repetition.clients), repetition.seed)
        request = FeatureRequest(
            setting.features_from,
            setting.server_epochs,
            setting.feature_clip,
            noise,
            setting.server_step,
            noise_seed(job, repetition.seed),
        )
        return local_network(client_data, repetition, of=partial(FeatureNetwork, request=request))

    return initial_learner


def weights_and_features(learner: FeatureNetwork) -> Traffic:
    """Return what is exchanged in a round's first messages; a label counts as one number."""
    count = parameter_count(learner)

    def floats(samples: np.ndarray) -> dict[str, int | np.ndarray]:
        if not learner.sends_features:
            return {"weights": count}
        return {"weights": count} | _feature_floats(learner, samples)

    return Traffic(floats, {"weights": count})


def _feature_floats(learner: FeatureNetwork, samples: np.ndarray) -> dict[str, np.ndarray]:
    return {"features": learner.width * samples, "labels": samples}


def by_retraining(job: Job) -> Train:
    """Return training by averages of weights and retraining of the classifier after each."""
    aggregate = equally if job.setting.client_weighting == "equal" else by_samples

    def train(learner: FeatureNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        def after(_: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
            if learner.request.epochs:
                learner.retrain(round_.number, _received(learner, uplink, round_, arrives))

        return by_weights(lambda: Server(aggregate, after=after))(learner, uplink, schedule)

    return train


def equally(weights: Tensor, counts: np.ndarray) -> Tensor:
    """Return the average (X,) of clients' weights (A, X) that all count alike."""
    return weights.mean(0)


def _received(
    learner: FeatureNetwork, uplink: Uplink, round_: Round, arrives: np.ndarray
) -> list[ReportedFeatures]:
    """Return the features that the server receives in a round."""
    if learner.sends_features:
        return learner.reported(round_, arrives)
    down = {"weights": learner.client_floats}
    answered = uplink.again(round_, down, _feature_floats(learner, round_.counts))
    return [
        learner.extracted(int(round_.clients[index]), round_.rows[index][round_.present[index]])
        for index in np.flatnonzero(answered)
    ]
