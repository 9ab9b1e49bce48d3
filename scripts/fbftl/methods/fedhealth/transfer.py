"""FedHealth's parts (paper survey, Fig. 15): the cloud's start, the average, the adaptation.

The adaptation is of the layers behind the network's cut, to each client's samples and to the
covariance that the last layer's inputs have at the server, which is sent once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from fbftl.exchange.averaging import by_weights
from fbftl.exchange.personal import PERSONAL_MEASURES, PERSONAL_SERIES, by_client
from fbftl.exchange.uplink import Uplink
from fbftl.learners.local import local_network
from fbftl.methods.fedhealth.adaptation import Alignment, adapted, covariance, last_inputs
from fbftl.study.job import Job
from fbftl.tasks.open_data import open_samples
from fbftl.tasks.task import ClientSamples, Outcome, Repetition
from fbftl.training.answers import RIGHT
from fbftl.training.batches import Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import LocalUpdate, flattened
from fbftl.training.personal_models import PersonalModels


@dataclass
class FedHealthRun:
    """What a run needs beside FedAvg's parts.

    client_data: what the clients hold.
    rows: of each seed's clients.
    adaptations: what each seed's adaptation came to.
    """

    job: Job
    client_data: ClientSamples
    rows: dict[int, Sequence[np.ndarray]] = field(default_factory=dict)
    adaptations: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.public = open_samples(self.client_data, self.job.setting.public_data)

    def initial_learner(self, repetition: Repetition) -> LocalNetwork:
        """Return the learner with the cloud's weights."""
        self.rows[repetition.seed] = repetition.clients
        learner = local_network(self.client_data, repetition)
        cloud = PersonalModels.initial([learner.split_model], learner.plan, repetition.seed)
        everything = [np.arange(len(self.public.labels))]
        cloud.train(self.public, everything, 1, epochs=self.job.setting.transfer_epochs)
        learner.set_weights(cloud.weights[0])
        return learner

    def train(self, learner: LocalNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        """Train the global network, then let every client adapt it."""
        ends = by_weights()(learner, uplink, schedule)
        # After the last round, so that it is counted with it.
        self.adaptations[uplink.post.seed] = self._adapted(learner, uplink, ends[-1] if ends else 0)
        return ends

    def _adapted(self, learner: LocalNetwork, uplink: Uplink, last: int) -> dict[str, Any]:
        epochs, weight = self.job.setting.adaptation_epochs, self.job.setting.coral_weight
        split_model, rows = learner.split_model, self.rows[uplink.post.seed]
        tests = self.client_data.tests(uplink.owners)
        models = PersonalModels([split_model] * len(rows), learner.plan, uplink.post.seed,
                           [learner.weights()] * len(rows))  # fmt: skip
        before = np.array(models.accuracies(tests))
        accuracies = before
        if epochs:
            moments = covariance(last_inputs(split_model, self.public.inputs))
            if weight:
                uplink.post.broadcast({"statistics": moments.numel()}, last)
            seed = uplink.post.seed
            local_updates = [
                LocalUpdate(seed, last + 1, client, client_rows)
                for client, client_rows in enumerate(rows)
            ]
            plan = replace(learner.plan, epochs=epochs)
            aim = Alignment(moments, weight)
            fitted = adapted(split_model, learner.training_data.samples, local_updates, plan, aim)
            front = flattened(split_model.front.parameters())
            kept = replace(models, weights=[torch.cat([front, rest]) for rest in fitted])
            accuracies = np.array(kept.accuracies(tests))
            learner.set_weights(models.weights[0])
        return {
            "test_accuracy": float(accuracies.mean()),
            "accuracy_before": float(before.mean()),
            "share_worse": float((accuracies < before).mean()),
            "series": by_client(accuracies, before),
        }

    def with_measures(self, outcome: Outcome) -> Outcome:
        """Return an outcome with what the adaptation came to; the score is the mean of clients'.

        Which samples are classified rightly is left out, since it is the average's alone.
        """
        repetitions = []
        for of_average in outcome.repetitions:
            repetition = {name: value for name, value in of_average.items() if name != RIGHT}
            adaptation = self.adaptations[repetition["seed"]]
            repetitions.append(
                repetition | adaptation | {"series": repetition["series"] | adaptation["series"]}
            )
        before = {"accuracy_before": PERSONAL_MEASURES["accuracy_alone"]}
        measures = {**outcome.measures, **PERSONAL_MEASURES, **before}
        series = {**outcome.series, **PERSONAL_SERIES}
        return replace(outcome, repetitions=repetitions, measures=measures, series=series)
