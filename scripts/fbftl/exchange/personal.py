"""Clients that keep models of their own: who they are, what they train, send and score.

Every client takes part in every round; what it sends may be lost. A client's score is its accuracy
on the test samples that are its own, if the task deals such, else on all of them. Beside its score
stands what it had come to alone, so that who loses by taking part is seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.data.participation import clients_of, grouped
from fbftl.exchange.post import Post
from fbftl.exchange.repetition import offered_rows
from fbftl.ground.errors import UserError
from fbftl.messages.channel import link_of
from fbftl.messages.ledger import Ledger
from fbftl.models.modes import digest
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.training.curves import MEASURES, SERIES, Curves, Measure, Series, record
from fbftl.training.local import train_clients
from fbftl.training.local_network import LocalTrainingData
from fbftl.training.local_updates import (
    FEDAVG,
    Hooks,
    LocalPlan,
    LocalUpdate,
    SplitModel,
    flattened,
    set_flat,
)
from fbftl.training.network import evaluate
from fbftl.training.samples import LabelledSamples
from fbftl.training.tasks.task import ClientSamples, Outcome, Repetition


@dataclass
class PersonalModels:
    """The networks of C clients.

    split_models: each client's architecture; clients that share one share the object.
    plan: how clients train.
    seed: the repetition's seed.
    weights: each client's parameters (X_u,), in the order of its network's.
    """

    split_models: Sequence[SplitModel]
    plan: LocalPlan
    seed: int
    weights: list[Tensor]

    @classmethod
    def initial(
        cls, split_models: Sequence[SplitModel], plan: LocalPlan, seed: int
    ) -> "PersonalModels":
        """Return networks that begin with the values that their architectures have."""
        return cls(
            split_models,
            plan,
            seed,
            [flattened(split_model.parameters) for split_model in split_models],
        )

    def copy(self) -> "PersonalModels":
        """Return networks that are trained apart from these."""
        return replace(self, weights=list(self.weights))

    def train(
        self, samples: LabelledSamples, rows: Sequence[np.ndarray], round_number: int,
        hooks: Hooks = FEDAVG, epochs: int | None = None,
    ) -> Tensor:  # fmt: skip
        """Train every client's network on its rows and keep what comes of it.

        Args:
            samples: what the rows are of.
            rows: of each client; who has none trains nothing.
            round_number: the round, from 1; with seed and client it decides the mini-batches.
            hooks: what is different.
            epochs: passes over the rows; the plan's if None.

        Returns:
            The mean of the clients' losses.
        """
        return train_side_by_side([self], samples, [rows], round_number, hooks, epochs)[0]

    def network(self, client: int) -> SplitModel:
        """Return a client's network with its weights, until another one's is asked for."""
        set_flat(self.split_models[client].parameters, self.weights[client])
        return self.split_models[client]

    @torch.no_grad()
    def logits(self, client: int, inputs: Tensor) -> Tensor:
        """Return what a client's network says of inputs (n, ...), (n, N)."""
        return self.network(client).whole(inputs)

    def accuracies(self, tests: Sequence[LabelledSamples]) -> list[float]:
        """Return each client's accuracy on its own test samples."""
        return [
            evaluate(
                self.network(client).whole, client_test, np.arange(len(client_test.labels))
            ).accuracy
            for client, client_test in enumerate(tests)
        ]


def train_side_by_side(
    several: Sequence[PersonalModels], samples: LabelledSamples,
    rows: Sequence[Sequence[np.ndarray]], round_number: int, hooks: Hooks = FEDAVG,
    epochs: int | None = None,
) -> Tensor:  # fmt: skip
    """Train clients of several repetitions, which have the same architectures, as each would alone.

    Args:
        several: the networks of R repetitions.
        samples: what the rows are of, in all of them.
        rows: of each repetition's clients; who has none trains nothing.
        round_number: the round, from 1; with seed and client it decides the mini-batches.
        hooks: what is different.
        epochs: passes over the rows; the plan's if None.

    Returns:
        The mean of the clients' losses in each repetition, (R,).
    """
    first = several[0]
    plan = first.plan if epochs is None else replace(first.plan, epochs=epochs)
    start = replace(
        hooks, start=lambda local_update: several[local_update.slot].weights[local_update.client]
    )
    losses: list[list[Tensor]] = [[] for _ in several]
    networks: dict[int, SplitModel] = {}
    local_updates: dict[int, list[LocalUpdate]] = {}
    for index, models in enumerate(several):
        first_client = {
            id(split_model): client
            for client, split_model in reversed([*enumerate(models.split_models)])
        }
        for client, split_model in enumerate(models.split_models):
            if len(rows[index][client]):
                network = first_client[id(split_model)]
                networks.setdefault(network, split_model)
                local_update = LocalUpdate(
                    models.seed, round_number, client, rows[index][client], index
                )
                local_updates.setdefault(network, []).append(local_update)
    for network, theirs in local_updates.items():
        trained = train_clients(networks[network], samples, theirs, plan, start)
        for local_update, weights, loss in zip(
            theirs, trained.weights, trained.losses, strict=True
        ):
            several[local_update.slot].weights[local_update.client] = weights
            losses[local_update.slot].append(loss)
    return torch.stack([torch.stack(client_losses).mean() for client_losses in losses])


PERSONAL_MEASURES = MEASURES | {
    "accuracy_alone": Measure("share", "higher", diverged=0.0),
    "share_worse": Measure("share", "lower", diverged=1.0),
}
"""What such runs measure; a client is worse where it had done better alone."""

PERSONAL_SERIES = SERIES | {
    "accuracy_by_client": Series("share", by="client"),
    "gain_by_client": Series("share", by="client"),
}


@dataclass
class Cohort:
    """The clients of one repetition and the models that they keep.

    client_data: what the task's clients hold.
    repetition: rows of each client.
    owners: (C,) their ids.
    post: through which they send.
    models: theirs.
    tests: test samples of each.
    curves: mean loss and mean accuracy, a point for each round.
    """

    client_data: ClientSamples
    repetition: Repetition
    owners: np.ndarray
    post: Post
    models: PersonalModels
    tests: Sequence[LabelledSamples]
    curves: Curves = field(default_factory=Curves)

    @property
    def rows(self) -> Sequence[np.ndarray]:
        """Training rows of each client."""
        return self.repetition.clients

    @property
    def rounds(self) -> range:
        """Numbers of the rounds, from 1."""
        return range(1, self.repetition.job.network_training.local_rounds + 1)

    def end_round(self, loss: float) -> None:
        """Add a point to the curves."""
        accuracy = float(np.mean(self.models.accuracies(self.tests)))
        self.curves.append(float(loss), None, None, accuracy, digest(self.models.weights))


TrainCohorts = Callable[[Sequence[Cohort]], Sequence[PersonalModels]]
"""Trains the models of several seeds' cohorts; returns those that clients would have had alone.
"""


def run_personal(job: Job, client_data: ClientSamples, train: TrainCohorts) -> Outcome:
    """Train clients' own models, one repetition per seed, with a cohort each.

    Raises:
        UserError: if there is one client only.
    """
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    cohorts = [gathered(job, client_data, seed, ledger) for seed in job.seeds]
    repetitions = list(map(_measured, cohorts, train(cohorts)))
    return Outcome(repetitions, ledger, client_data.provenance, PERSONAL_MEASURES, PERSONAL_SERIES)


def gathered(job: Job, client_data: ClientSamples, seed: int, ledger: Ledger) -> Cohort:
    """Return a repetition's clients with the models that they begin with.

    Raises:
        UserError: if there is one client only.
    """
    client = clients_of(job, client_data.partition, seed)
    owners, clients = grouped(offered_rows(job, client, seed), client)
    if len(owners) < 2:
        raise UserError(
            f"{job.setting.method} on {job.task} has one client, which has nobody to learn from; "
            "give it more clients"
        )
    repetition = Repetition(job, seed, clients, np.arange(0))
    post = Post(ledger, link_of(job.setting, client_data.block_bits), seed, no_mechanism())
    models, tests = personal_models(client_data, repetition), client_data.tests(owners)
    return Cohort(client_data, repetition, owners, post, models, tests)


def _measured(cohort: Cohort, alone: PersonalModels) -> dict[str, Any]:
    """Return a repetition's record."""
    accuracies = np.array(cohort.models.accuracies(cohort.tests))
    before = np.array(alone.accuracies(cohort.tests))
    measured = record(cohort.curves, "last")
    measured["series"] |= by_client(accuracies, before)
    samples = np.array(list(map(len, cohort.rows)))
    received = int(samples[cohort.post.arrived(cohort.owners)].sum())
    return measured | {
        "seed": cohort.post.seed,
        "clients": len(cohort.owners),
        **dict.fromkeys(("offered", "seen"), int(samples.sum())),  # all train their own models
        "received": received,
        "accuracy_alone": float(before.mean()),
        "share_worse": float((accuracies < before).mean()),
        **cohort.post.totals(range(len(cohort.rounds) + 1)),
        "privacy": [asdict(no_mechanism())],
    }


def by_client(accuracies: np.ndarray, before: np.ndarray) -> dict[str, list[float]]:
    """Return the series that tell of each client."""
    return {
        "accuracy_by_client": accuracies.tolist(),
        "gain_by_client": (accuracies - before).tolist(),
    }


def personal_models(client_data: ClientSamples, repetition: Repetition) -> PersonalModels:
    """Return a network for each client to keep, with random initial values, alike if shared.

    Where the job is told of architectures, clients have these in turn.
    """
    job, seed = repetition.job, repetition.seed
    blocks = job.block.get("architectures", ())
    networks = [SplitModel(*client_data.target.named(block, seed)) for block in blocks]
    networks = networks or [SplitModel(*client_data.target.random(job, seed))]
    split_models = [networks[c % len(networks)] for c in range(len(repetition.clients))]
    return PersonalModels.initial(
        split_models, LocalTrainingData.of(client_data, repetition).plan, seed
    )
