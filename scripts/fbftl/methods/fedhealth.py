"""FedHealth (paper survey, Fig. 15): a cloud's network, federated, then adapted at every client.

The server trains a network on open data; clients go on with it as in FedAvg, whose average stands
for the printed "aligning with user model". In the end every client freezes the network up to its
cut and adapts the layers behind it, on its own samples and to the covariance that its last layer's
inputs had at the server, which is sent once. The loss is the cross-entropy plus eta times CORAL
(Sun & Saenko 2016), the distance of second moments between source and client:
||C_S - C_T||_F^2 / (4 d^2), of the d inputs of the last layer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.personal import PERSONAL_MEASURES, PERSONAL_SERIES, PersonalModels, by_client
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Uplink
from fbftl.study.job import Job
from fbftl.training.batches import Rounds
from fbftl.training.curves import RIGHT
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import (
    LocalPlan,
    LocalUpdate,
    SplitModel,
    flattened,
    mini_batches,
    set_flat,
)
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.samples import LabelledSamples
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import ClientSamples, Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train and adapt, one repetition per seed."""
    client_data = client_samples(job, inputs)
    fedhealth, exchanged = FedHealthRun(job, client_data), weights_or_updates(job)
    outcome = run_rounds(
        job, client_data, fedhealth.initial_learner, exchanged, inputs.room.folder, fedhealth.train
    )
    return fedhealth.with_measures(outcome)


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

        def more(of_average: dict[str, Any]) -> dict[str, Any]:
            adaptation = self.adaptations[of_average["seed"]]
            return adaptation | {"series": of_average["series"] | adaptation["series"]}

        kept = [{name: of[name] for name in of if name != RIGHT} for of in outcome.repetitions]
        before = {"accuracy_before": PERSONAL_MEASURES["accuracy_alone"]}
        clean = replace(outcome, repetitions=kept)
        return clean.with_more(more, PERSONAL_MEASURES | before, PERSONAL_SERIES)


@dataclass(frozen=True)
class Alignment:
    """What a client's activations are drawn to.

    covariance: (d, d) of the source's inputs of the last layer.
    weight: eta.
    """

    covariance: Tensor
    weight: float

    def loss(self, hidden: Tensor) -> Tensor:
        """Return eta times CORAL of a batch's inputs (B, d) of the last layer; 0 for one sample."""
        if len(hidden) < 2:
            return hidden.new_zeros(())
        apart = self.covariance - covariance(hidden)
        return self.weight * apart.square().sum() / (4 * hidden.shape[1] ** 2)


def covariance(values: Tensor) -> Tensor:
    """Return the unbiased covariance (d, d) of values (n, d), n at least 2."""
    centred = values - values.mean(0)
    return centred.T @ centred / (len(values) - 1)


@torch.no_grad()
def last_inputs(split_model: SplitModel, inputs: Tensor) -> Tensor:
    """Return what enters the network's last layer, (n, d)."""
    return before_last(split_model.rest)(split_model.front(inputs))


def before_last(rest: nn.Module) -> nn.Sequential:
    """Return the second half without its last layer, the same modules."""
    return nn.Sequential(*list(rest.children())[:-1])


def adapted(
    split_model: SplitModel, samples: LabelledSamples, local_updates: Sequence[LocalUpdate],
    plan: LocalPlan, alignment: Alignment,
) -> list[Tensor]:  # fmt: skip
    """Return each client's second half after adaptation, flat; the network stays as it is.

    Args:
        split_model: the global network.
        samples: what the clients hold.
        local_updates: the clients, with their rows.
        plan: how they train; its epochs are those of the adaptation.
        alignment: what they are drawn to.
    """
    *_, last = split_model.rest.children()
    inner, parameters = before_last(split_model.rest), list(split_model.rest.parameters())
    initial, fitted = flattened(parameters), []
    for local_update in local_updates:
        set_flat(parameters, initial)
        stepper = OPTIMISERS[plan.optimiser].alone(parameters, plan.training)
        of_client = samples.at(np.sort(local_update.rows))
        with torch.no_grad():
            features = split_model.front(of_client.inputs)
        places = replace(local_update, rows=np.arange(len(local_update.rows)))
        for _, rows in mini_batches(places, plan):
            at = torch.from_numpy(rows).to(of_client.labels.device)
            hidden = inner(features[at])
            loss = functional.cross_entropy(last(hidden), of_client.labels[at])
            if alignment.weight:
                loss = loss + alignment.loss(hidden)
            gradients = torch.autograd.grad(loss, parameters)
            stepper.step([gradient.contiguous() for gradient in gradients])
        fitted.append(flattened(parameters))
    set_flat(parameters, initial)
    return fitted
