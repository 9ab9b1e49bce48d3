"""Repetitions whose clients keep models of their own: who they are, what they send, how they score.

Every client takes part in every round; what it sends may be lost. A client's score is its accuracy
on the test samples that are its own, if the task deals such, else on all of them. Beside its score
stands what it had come to alone, so that who loses by taking part is seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

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
from fbftl.training.local_network import LocalTrainingData
from fbftl.training.local_updates import SplitModel
from fbftl.training.personal_models import PersonalModels
from fbftl.training.samples import LabelledSamples
from fbftl.training.tasks.task import ClientSamples, Outcome, Repetition

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
