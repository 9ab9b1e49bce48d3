"""Heads that the server solves from one message per client, features or less.

What a head is solved from is asked of the message: rows, statistics or class means. FbFTL's own
upload gives all three. Regularisation is chosen on what the message allows to be held out: rows of
the uploads, or clients, whose statistics tell squared error and likelihood exactly.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
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


def run_one_shot(job: Job, held: HeldFeatures) -> Outcome:
    """Send each seed's messages and solve the head that the setting names.

    Raises:
        UserError: if a feature is not finite, or as `send_summaries` and the head.
    """
    _require_finite(held)
    if job.setting.message == "features":
        ledger, learned, privacy = _from_features(job, held)
    else:
        guarantee = guarantee_of(job, held.public)
        ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
        learned = [send_summaries(job, held, ledger, seed, guarantee) for seed in job.seeds]
        privacy = [asdict(guarantee)]
    scores = _trained(job, held, learned) if job.setting.head == "mlp" else None
    repetitions = []
    for place, (seed, own) in enumerate(zip(job.seeds, learned, strict=True)):
        found = {} if scores is None else {"regularisation": None, "negative": 0.0}
        if scores is None:
            solved = solve(job.setting.head, own, held.payload.classes, job.block["one_shot"])
            score = held.linear(on_features(solved.head, own))
            found = {"regularisation": solved.regularisation, "negative": solved.negative}
        else:
            score = scores[place]
        repetitions.append(
            score.record | {"seed": seed, "seen": own.seen, "privacy": privacy} | own.counts | found
        )
    return Outcome(repetitions, ledger, held.provenance, measures=MEASURED)


def _require_finite(held: HeldFeatures) -> None:
    if not np.isfinite(held.payload.values).all():
        row = int(np.isfinite(held.payload.values).all(axis=1).argmin())
        raise UserError(
            f"the feature of training sample {held.payload.sample[row]} holds NaN or infinity; "
            "choose another cut, or look at the source model"
        )


def _from_features(job: Job, held: HeldFeatures) -> tuple[Ledger, list[Learned], list[Any]]:
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
        learned.append(Learned(rows[0], other, len(training), counts))
    return sent.ledger, learned, [asdict(record) for record in sent.how.records]


def solve(head: str, learned: Learned, classes: int, block: Mapping[str, Any]) -> Solved:
    """Return a head in closed form, or the logistic one.

    Args:
        head: its name.
        learned: what the server has.
        classes: number of classes N.
        block: the task's candidates of λ, shrinkage and penalty.

    Raises:
        UserError: as `fedcof`.
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


def on_features(head: LinearHead, learned: Learned) -> LinearHead:
    """Return a head on features, whatever these went through before it was solved."""
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
