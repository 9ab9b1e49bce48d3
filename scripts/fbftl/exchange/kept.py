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
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.models.digest import digest
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, Outcome, Repetition
from fbftl.training.curves import Curves, record
from fbftl.training.kept import KeptModels
from fbftl.training.measures import MEASURES, SERIES, Measure, Series
from fbftl.training.network import LabelledSamples

KEPT_MEASURES = MEASURES | {
    "accuracy_alone": Measure("share", "higher", diverged=0.0),
    "share_worse": Measure("share", "lower", diverged=1.0),
}
"""What such runs measure; a client is worse where it had done better alone."""

KEPT_SERIES = SERIES | {
    "accuracy_by_client": Series("share", by="client"),
    "gain_by_client": Series("share", by="client"),
}


@dataclass
class Company:
    """The clients of one repetition and the models that they keep.

    held: what the task's clients hold.
    repetition: rows of each client.
    owners: (C,) their ids.
    post: through which they send.
    models: theirs.
    tests: test samples of each.
    curves: mean loss and mean accuracy, a point for each round.
    """

    held: HeldSamples
    repetition: Repetition
    owners: np.ndarray
    post: Post
    models: KeptModels
    tests: Sequence[LabelledSamples]
    curves: Curves = field(default_factory=Curves)

    @property
    def rows(self) -> Sequence[np.ndarray]:
        """Training rows of each client."""
        return self.repetition.clients

    @property
    def rounds(self) -> range:
        """Numbers of the rounds, from 1."""
        return range(1, self.repetition.job.training.rounds + 1)

    def end_round(self, loss: float) -> None:
        """Add a point to the curves."""
        accuracy = float(np.mean(self.models.accuracies(self.tests)))
        self.curves.append(float(loss), None, None, accuracy, digest(self.models.weights))


Play = Callable[[Sequence[Company]], Sequence[KeptModels]]
"""Trains the models of several seeds' companies; returns those that clients would have had alone.
"""


def run_kept(job: Job, held: HeldSamples, play: Play) -> Outcome:
    """Train clients' own models, one repetition per seed, as many companies.

    Raises:
        UserError: if there is one client only.
    """
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    companies = [gathered(job, held, seed, ledger) for seed in job.seeds]
    repetitions = list(map(_found, companies, play(companies)))
    return Outcome(repetitions, ledger, held.provenance, KEPT_MEASURES, KEPT_SERIES)


def gathered(job: Job, held: HeldSamples, seed: int, ledger: Ledger) -> Company:
    """Return a repetition's clients with the models that they begin with.

    Raises:
        UserError: if there is one client only.
    """
    client = clients_of(job, held.holdings, seed)
    owners, clients = grouped(offered_rows(job, client, seed), client)
    if len(owners) < 2:
        raise UserError(
            f"{job.setting.method} on {job.task} has one client, which has nobody to learn from; "
            "give it more clients"
        )
    repetition = Repetition(job, seed, clients, np.arange(0))
    post = Post(ledger, link_of(job.setting, held.block_bits), seed, no_mechanism())
    return Company(held, repetition, owners, post, held.kept(repetition), held.tests(owners))


def _found(company: Company, alone: KeptModels) -> dict[str, Any]:
    """Return a repetition's record."""
    own = np.array(company.models.accuracies(company.tests))
    before = np.array(alone.accuracies(company.tests))
    found = record(company.curves, "last")
    found["series"] |= by_client(own, before)
    samples = np.array(list(map(len, company.rows)))
    received = int(samples[company.post.arrived(company.owners)].sum())
    return (
        found
        | {"seed": company.post.seed, "clients": len(company.owners)}
        | dict.fromkeys(("offered", "seen"), int(samples.sum()))  # all train their own models
        | {"received": received}
        | {"accuracy_alone": float(before.mean()), "share_worse": float((own < before).mean())}
        | company.post.totals(range(len(company.rounds) + 1))
        | {"privacy": [asdict(no_mechanism())]}
    )


def by_client(own: np.ndarray, before: np.ndarray) -> dict[str, list[float]]:
    """Return the series that tell of each client."""
    return {"accuracy_by_client": own.tolist(), "gain_by_client": (own - before).tolist()}
