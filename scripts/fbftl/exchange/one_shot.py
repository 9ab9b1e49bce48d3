"""Heads that the server solves from one message per client, features or less.

What a head is solved from is asked of the message: rows, statistics or class means. FbFTL's own
upload gives all three. Regularisation is chosen on what the message allows to be held out: rows of
the uploads, or clients, whose statistics tell squared error and likelihood exactly.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from fbftl.data.participation import clients_of
from fbftl.exchange.summaries import Known, Learned, guarantee_of, send_summaries
from fbftl.exchange.uploads import send
from fbftl.ground.errors import UserError
from fbftl.messages.ledger import Ledger
from fbftl.messages.statistics import ClassMeans, LabelledRows, Statistics
from fbftl.messages.vectors import Vectors
from fbftl.study.job import Job
from fbftl.tasks.task import HeldFeatures, Outcome, Received, Score
from fbftl.training.closed_form import LinearHead, Solved, fedcgs, fedcof, lda, ncm, ridge
from fbftl.training.logistic import logistic
from fbftl.training.measures import MEASURES, Measure

MEASURED = MEASURES | {
    "regularisation": Measure("of the mean eigenvalue"),
    "negative": Measure("share", "lower"),
}
"""What is measured beside what all methods do: what was chosen, and what was left out of a matrix.
"""


@dataclass(frozen=True, eq=False)
class ToldBySeed:
    """What all seeds' messages tell the server.

    learned: by seed.
    ledger: every message.
    privacy: the guarantees.
    """

    learned: list[Learned]
    ledger: Ledger
    privacy: list[dict[str, Any]]


def run_one_shot(job: Job, held: HeldFeatures) -> Outcome:
    """Send each seed's messages and solve the head that the setting names.

    Raises:
        UserError: if a feature is not finite, or as `send_summaries`.
    """
    told = tell(job, held)
    if job.setting.head == "mlp":
        solved = [Solved(None)] * len(job.seeds)
        scores = _trained(job, held, told.learned)
    else:
        solved = solve_each(job, held, told)
        scores = [held.linear(own.head) for own in solved]
    repetitions = [
        score.record
        | {"seed": seed, "seen": len(own.members), "privacy": told.privacy}
        | own.counts
        | {"regularisation": found.regularisation, "negative": found.negative}
        for seed, own, score, found in zip(job.seeds, told.learned, scores, solved, strict=True)
    ]
    return Outcome(repetitions, told.ledger, held.provenance, measures=MEASURED)


def tell(job: Job, held: HeldFeatures) -> ToldBySeed:
    """Send each seed's messages.

    Raises:
        UserError: if a feature is not finite, or as `send_summaries`.
    """
    _require_finite(held)
    if job.setting.message == "features":
        return _from_features(job, held)
    guarantee = guarantee_of(job, held.public)
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    learned = [send_summaries(job, held, ledger, seed, guarantee) for seed in job.seeds]
    return ToldBySeed(learned, ledger, [asdict(guarantee)])


def solve_each(job: Job, held: HeldFeatures, told: ToldBySeed) -> list[Solved]:
    """Return each seed's head, on features, whatever these went through before."""
    found = []
    for own in told.learned:
        solved = solve(job.setting.head, own, held.payload.classes, job.block["one_shot"])
        found.append(replace(solved, head=_on_features(solved.head, own)))
    return found


def _require_finite(held: HeldFeatures) -> None:
    if not np.isfinite(held.payload.values).all():
        row = int(np.isfinite(held.payload.values).all(axis=1).argmin())
        raise UserError(
            f"the feature of training sample {held.payload.sample[row]} holds NaN or infinity; "
            "choose another cut, or look at the source model"
        )


def _from_features(job: Job, held: HeldFeatures) -> ToldBySeed:
    """Send FbFTL's own uploads; return what the server has, in rows."""
    sent = send(job, held, {})
    learned = []
    for seed, read, (training, validation), counts in zip(
        job.seeds, sent.read, sent.split(), sent.counts, strict=True
    ):
        client = clients_of(job, held.holdings, seed)
        rows = [
            LabelledRows(read.values[own], read.labels[own], client[own])
            for own in (training, validation)
        ]
        other = rows[1] if len(validation) else None
        offered = sent.uploads[len(learned)].offered
        learned.append(Learned(rows[0], other, training, offered, counts))
    return ToldBySeed(learned, sent.ledger, [asdict(record) for record in sent.how.records])


def solve(head: str, learned: Learned, classes: int, block: Mapping[str, Any]) -> Solved:
    """Return a head in closed form, or the logistic one.

    Args:
        head: its name.
        learned: what the server has.
        classes: number of classes N.
        block: the task's candidates of λ, shrinkage and penalty.
    """
    known, held = learned.training, learned.held
    match head:
        case "logistic":
            return logistic(known, classes, block["logistic"], held)
        case "fedcof":
            return fedcof(_means(known, classes), block["shrinkage"][0])
        case "ncm":
            if isinstance(known, ClassMeans):
                return ncm(known.counts_of, known.sums_of)
            own = _statistics(known, classes)
            return ncm(own.counts, own.sums)
        case "fedcgs":
            return fedcgs(_statistics(known, classes))
    solver, candidates = {"ridge": (ridge, "ridge"), "lda": (lda, "shrinkage")}[head]
    other = None if held is None else _statistics(held, classes)
    return solver(_statistics(known, classes), block[candidates], other)


def _statistics(known: Known, classes: int) -> Statistics:
    if isinstance(known, Statistics):
        return known
    return Statistics.of(known.values, known.labels, classes)


def _means(known: Known, classes: int) -> ClassMeans:
    if isinstance(known, ClassMeans):
        return known
    return ClassMeans.of(known.values, known.labels, known.client, classes)


def _on_features(head: LinearHead, learned: Learned) -> LinearHead:
    scaled = replace(head, weights=learned.scale * head.weights)
    return scaled if learned.projection is None else scaled.after(learned.projection)


def _trained(job: Job, held: HeldFeatures, learned: list[Learned]) -> list[Score]:
    """Return the scores of the task's perceptron, trained on the rows that the server drew."""
    scores = []
    # One after the other: what the server drew is not equally much for all seeds.
    for seed, own in zip(job.seeds, learned, strict=True):
        parts = [own.training] if own.held is None else [own.training, own.held]
        values = np.concatenate([part.values for part in parts])
        labels = np.concatenate([part.labels for part in parts])
        rows = np.arange(len(values))
        payload = Vectors(values, labels, rows, held.payload.classes)
        training, validation = np.split(rows, [len(own.training.values)])
        received = Received(job, seed, payload, training, validation, lambda _: 1.0, None)
        ((fit,),) = held.fit([[received]])
        scores.append(fit.score)
    return scores
