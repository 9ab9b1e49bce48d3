"""Heads that the server solves from one message per client, features or less.

What a head is solved from is asked of the message: rows, statistics or class means. FbFTL's own
upload gives all three. Regularisation is chosen on what the message allows to be held out: rows of
the uploads, or clients, whose statistics give squared error and likelihood exactly. Class means
give neither: held-out clients then score the candidates' heads on their rows. Once it is chosen, a
head is solved again from all that arrived.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from fbftl.data.participation import clients_of
from fbftl.exchange.summaries import Known, Learned, guarantee_of, right_on, send_summaries
from fbftl.exchange.uploads import send
from fbftl.ground.errors import UserError
from fbftl.messages.ledger import Ledger
from fbftl.messages.statistics import ClassMeans, LabelledRows, Statistics
from fbftl.messages.vectors import Vectors
from fbftl.study.job import Job
from fbftl.tasks.task import HeldFeatures, Outcome, Received, Score
from fbftl.training.closed_form import (
    LinearHead,
    Solved,
    afl,
    fed3r,
    fedcgs,
    fedcof,
    fedcof_unit,
    fedncm,
    lda,
    ncm,
    ridge,
)
from fbftl.training.logistic import logistic
from fbftl.training.measures import MEASURES, Measure

MEASURED = MEASURES | {
    "regularisation": Measure("of the mean eigenvalue"),
    "negative": Measure("share", "lower"),
}
"""What is measured beside what all methods do: what was chosen, and what was left out of a matrix.
"""

OF_COUNTS = {"ncm": ncm, "fedncm": fedncm}
OF_MOMENTS = {"fedcgs": fedcgs, "afl": afl}
CHOSEN = {"ridge": (ridge, "ridge"), "fed3r": (fed3r, "ridge"), "lda": (lda, "shrinkage")}
OF_MEANS = {"fedcof": fedcof, "fedcof_unit": fedcof_unit}
"""Heads by what they are solved from: counts and sums, second moments, second moments with a choice
among the task's candidates of that name, each client's class means."""


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
        | {"seed": seed, "seen": len(seen(job, own)), "privacy": told.privacy}
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


def seen(job: Job, learned: Learned) -> np.ndarray:
    """Return the rows behind a head: a solved one is solved from held-out rows as well."""
    if job.setting.head == "mlp":
        return learned.members
    return np.sort(np.concatenate([learned.members, learned.held_members]))


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
        right = None if other is None else right_on(other)
        learned.append(
            Learned(
                rows[0],
                other,
                training,
                offered,
                counts,
                held_members=validation,
                right=right,
            )
        )
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
    if head == "logistic":
        return logistic(known, classes, block["logistic"], held)
    if head in OF_MEANS or (head == "lda" and isinstance(known, ClassMeans)):
        return _of_means(head, learned, classes, block["shrinkage"])
    if head in CHOSEN:
        solver, candidates = CHOSEN[head]
        other = None if held is None else _statistics(held, classes)
        return solver(_statistics(known, classes), block[candidates], other)
    whole = known if held is None else known + held
    if head in OF_MOMENTS:
        return OF_MOMENTS[head](_statistics(whole, classes))
    if isinstance(whole, ClassMeans):
        return OF_COUNTS[head](whole.counts_of, whole.sums_of)
    summed = _statistics(whole, classes)
    return OF_COUNTS[head](summed.counts, summed.sums)


def _of_means(head: str, learned: Learned, classes: int, candidates: Sequence[float]) -> Solved:
    """Return a head solved from each client's class means.

    The candidate whose head, solved without the held-out rows, has the most of them right is
    chosen; of equals the first.
    """
    known, held = learned.training, learned.held
    whole = known if held is None else known + held

    def solved(some: Known, candidate: float) -> Solved:
        means = _means(some, classes)
        if head == "lda":
            return lda(means.estimated(), [candidate])
        return OF_MEANS[head](means, candidate)

    if learned.right is None or len(candidates) == 1:
        return solved(whole, candidates[0])
    right = learned.right([solved(known, candidate).head for candidate in candidates])
    return solved(whole, candidates[int(np.argmax(right))])


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
        # A row that is in neither split comes last: training takes rows from something, even if
        # nothing was sent.
        width = own.training.values.shape[1]
        values = np.concatenate([*(part.values for part in parts), np.zeros((1, width), "f4")])
        labels = np.concatenate([*(part.labels for part in parts), np.zeros(1, np.int64)])
        rows = np.arange(len(values))
        payload = Vectors(values, labels, rows, held.payload.classes)
        training, validation = np.split(rows[:-1], [len(own.training.values)])
        received = Received(job, seed, payload, training, validation, lambda _: 1.0, None)
        ((fit,),) = held.fit([[received]])
        scores.append(fit.score)
    return scores
