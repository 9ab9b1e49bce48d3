"""One-shot methods: the server solves a head from one message per client, features or less.

What a head is solved from is asked of the message: rows, statistics or class means. FbFTL's
features give all three. Regularisation is chosen on what the message allows to be held out: rows of
the uploads, or clients, whose statistics give squared error and likelihood exactly. Class means
give neither: candidates' heads are then scored at clients, on all rows of held-out ones, or on rows
that every client held out before it took its means. Once it is chosen, a head is solved again from
all that arrived.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch

from fbftl.data.participation import Participants, participants_of
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.exchange.uploads import send
from fbftl.ground.errors import UserError, required
from fbftl.messages.channel import link_of
from fbftl.messages.codec import compress
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Vectors
from fbftl.messages.statistics import ClassMeans, LabelledRows, Moments, Statistics
from fbftl.methods.one_shot.clients import compression_of, right_on
from fbftl.methods.one_shot.summaries import Knowledge, Learned, send_summaries
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.privacy.noise import clip_norm
from fbftl.privacy.statistics import statistics_guarantee
from fbftl.study.job import Job
from fbftl.study.uploads import CANDIDATES
from fbftl.training.closed_form import (
    LinearHead,
    Solved,
    afl,
    fed3r,
    fedcgs,
    fedcof,
    fedcof_between,
    fedcof_oracle,
    fedncm,
    lda,
    ncm,
    ridge,
)
from fbftl.training.curves import MEASURES, Measure
from fbftl.training.gh_ofl import fishermix, naive_bayes, protohyper, qda
from fbftl.training.logistic import logistic, score_of_linear
from fbftl.training.stacked import train_on_received
from fbftl.training.tasks.task import (
    Fit,
    Inputs,
    LabelledFeatures,
    Outcome,
    Received,
    labelled_features,
)

__all__ = ["run_together"]

ByClient = TypeVar("ByClient", ClassMeans, Moments)

MEASURED = {
    **MEASURES,
    **RING_MEASURES,
    "regularisation": Measure("of the mean eigenvalue"),
    "negative": Measure("share", "lower"),
}
"""What is measured beside what all methods do: what was chosen, and what was left out of a matrix.
"""

OF_COUNTS = {"ncm": ncm, "fedncm": fedncm}
OF_MOMENTS = {"fedcgs": fedcgs, "afl": afl}
CHOSEN = {"ridge": ridge, "fed3r": fed3r, "lda": lda, "fedcof_oracle": fedcof_oracle}
OF_MEANS = {"fedcof": fedcof, "fedcof_between": fedcof_between}
OF_CLASSES = {"nb": naive_bayes, "qda": qda}
OF_DRAWS = {"fishermix": fishermix, "protohyper": protohyper}
"""Heads by what they are solved from: counts and sums, second moments, second moments with a choice
among the task's candidates, each client's class means, moments of each class by itself, samples
drawn by second moments."""


@dataclass(frozen=True, eq=False)
class ReceivedBySeed:
    """What all seeds' messages tell the server.

    learned: by seed.
    ledger: every message.
    privacy: the guarantees.
    """

    learned: list[Learned]
    ledger: Ledger
    privacy: list[dict[str, Any]]


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Run settings of one cut one after another on features that are read once.

    Raises:
        UserError: as `tell`.
    """
    features = labelled_features(jobs[0], inputs)
    yield from (_outcome(job, features) for job in jobs)


def _outcome(job: Job, client_data: LabelledFeatures) -> Outcome:
    received = send_all_seeds(job, client_data)
    choices: list[tuple[float | None, float]]
    if job.setting.test_features == "compressed":
        # The test split as a server would read it from messages.
        test = client_data.test
        read = compress(test.inputs.cpu().numpy(), compression_of(job.setting)).values
        test = replace(test, inputs=torch.from_numpy(read).to(test.inputs.device))
        client_data = replace(client_data, test=test)  # type: ignore[type-var]
    if job.setting.head == "mlp":
        scores = [fit.score for fit in train_each(job, client_data, received.learned)]
        choices = [(None, 0.0)] * len(job.seeds)
    else:
        solved = solve_each(job, received)
        scores = [score_of_linear(client_data, each.head) for each in solved]
        choices = [(each.regularisation, each.negative) for each in solved]
    repetitions = [
        score.record
        | {"seed": seed, "seen": len(seen(job, learned)), "privacy": received.privacy}
        | learned.counts
        | dict(zip(("regularisation", "negative"), choice, strict=True))
        for seed, learned, score, choice in zip(
            job.seeds, received.learned, scores, choices, strict=True
        )
    ]
    return Outcome(repetitions, received.ledger, client_data.provenance, measures=MEASURED)


def send_all_seeds(job: Job, client_data: LabelledFeatures) -> ReceivedBySeed:
    """Send each seed's messages, after the frozen extractor went to all clients once.

    Raises:
        UserError: if a feature is not finite, or as `send_summaries`.
    """
    finite = np.isfinite(client_data.payload.values).all(axis=1)
    if not finite.all():
        raise UserError(
            f"the feature of training sample {client_data.payload.sample[int(finite.argmin())]} "
            "holds NaN or infinity; choose another cut, or look at the source model"
        )
    taking_part = [participants_of(job, client_data.partition, seed) for seed in job.seeds]
    if job.setting.message == "features":
        return _from_features(job, taking_part, client_data)
    guarantee = guarantee_of(job, client_data.public)
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    link = link_of(job.setting, client_data.payload.block_bits)
    learned = []
    for participants in taking_part:
        post = Post(ledger, link, participants.seed, guarantee, compression_of(job.setting))
        post.deploy(client_data.frozen_floats)
        learned.append(send_summaries(job, participants, client_data.payload, post))
    return ReceivedBySeed(learned, ledger, [asdict(guarantee)])


def seen(job: Job, learned: Learned) -> np.ndarray:
    """Return the rows behind a head: a solved one is solved from held-out rows as well."""
    if job.setting.head == "mlp" and job.network_training.selection != "last":
        return learned.training_rows
    return np.sort(np.concatenate([learned.training_rows, learned.held_out_rows]))


def solve_each(job: Job, received: ReceivedBySeed) -> list[Solved]:
    """Return each seed's head, on features, whatever these went through before."""
    return [
        solved_on_features(job, learned, seed)
        for seed, learned in zip(job.seeds, received.learned, strict=True)
    ]


def solved_on_features(job: Job, learned: Learned, seed: int) -> Solved:
    """Return the head that a server solves from what it has learned, on features.

    Args:
        job: the setting with its training values.
        learned: what one seed's messages told it.
        seed: of the repetition.
    """
    solved = solve(job.setting.head, learned, job.block["one_shot"], seed)
    return replace(solved, head=_on_features(solved.head, learned))


def _from_features(
    job: Job, taking_part: Sequence[Participants], client_data: LabelledFeatures
) -> ReceivedBySeed:
    """Send every sample's features, as FbFTL does; return what the server has, in rows."""
    sent = send(job, taking_part, client_data, {})
    learned = []
    for uploads in sent.uploads:
        read, client = uploads.read, uploads.participants.client
        training, held_out = (
            LabelledRows(read.values[rows], read.labels[rows], client[rows])
            for rows in (uploads.training, uploads.validation)
        )
        other = held_out if len(uploads.validation) else None
        of_seed = Learned(
            training,
            other,
            client_data.payload.classes,
            uploads.training,
            uploads.participants.offered,
            uploads.counts,
            held_out_rows=uploads.validation,
            right=None if other is None else right_on(other),
        )
        learned.append(of_seed)
    return ReceivedBySeed(learned, sent.ledger, [asdict(record) for record in sent.how.records])


def solve(head: str, learned: Learned, block: Mapping[str, Any], seed: int) -> Solved:
    """Return a head in closed form, the logistic one, or one of those trained on drawn samples.

    Args:
        head: its name.
        learned: what the server has.
        block: the task's candidates of λ, shrinkage, γ and penalty.
        seed: of the samples that the server draws.
    """
    training, held_out, classes = learned.training, learned.held_out, learned.classes
    if head == "logistic":
        other_rows = None if held_out is None else _rows(held_out)
        return logistic(_rows(training), classes, block["logistic"], other_rows)
    of_means = head in OF_MEANS or (head == "lda" and isinstance(training, ClassMeans | Moments))
    if of_means or head in OF_CLASSES:
        return _scored(head, learned, block[CANDIDATES[head]])
    if head in CHOSEN:
        other = None if held_out is None else _statistics(held_out, classes)
        return CHOSEN[head](_statistics(training, classes), block[CANDIDATES[head]], other)
    whole = learned.whole
    whole = whole.means if isinstance(whole, Moments) else whole
    if head in OF_MOMENTS:
        return OF_MOMENTS[head](_statistics(whole, classes))
    if head in OF_DRAWS:
        return OF_DRAWS[head](_statistics(whole, classes), seed)
    if isinstance(whole, ClassMeans):
        return OF_COUNTS[head](whole.counts_of, whole.sums_of)
    summed = _statistics(whole, classes)
    return OF_COUNTS[head](summed.counts, summed.sums)


def _scored(head: str, learned: Learned, candidates: Sequence[float]) -> Solved:
    """Return a head solved from each client's class means, or from moments of each class.

    The candidate whose head, solved without the held-out rows, has the most of them right is
    chosen; of equals the first.
    """
    whole, classes = learned.whole, learned.classes

    def solved(some: Knowledge, candidate: float) -> Solved:
        if head == "qda":
            return qda(_rows(some), classes, candidate)
        if head == "nb":
            return naive_bayes(_by_client(Moments, some, classes), candidate)
        if head == "lda":
            known = some if isinstance(some, Moments) else _by_client(ClassMeans, some, classes)
            return lda(known.estimated(), [candidate])
        return OF_MEANS[head](_by_client(ClassMeans, some, classes), candidate)

    if learned.right is None or len(candidates) == 1:
        return solved(whole, candidates[0])
    heads = [solved(learned.training, candidate).head for candidate in candidates]
    right = learned.right(heads)
    return solved(whole, candidates[int(np.argmax(right))])


def _statistics(received: Knowledge, classes: int) -> Statistics:
    if isinstance(received, Statistics):
        return received
    rows = _rows(received)
    return Statistics.of(rows.values, rows.labels, classes)


def _by_client(kind: type[ByClient], received: Knowledge, classes: int) -> ByClient:
    """Return what the server has of some clients as means or moments by client and class."""
    if isinstance(received, kind):
        return received
    rows = _rows(received)
    return kind.of(rows.values, rows.labels, rows.client, classes)


def _rows(received: Knowledge) -> LabelledRows:
    """Return the rows that the server has of some clients; a class mean is a row for each sample.

    Raises:
        TypeError: if their message holds none.
    """
    if isinstance(received, LabelledRows):
        return received
    if isinstance(received, ClassMeans):
        numbers = received.label, received.client
        label, client = (np.repeat(each, received.counts) for each in numbers)
        values = np.repeat(received.means.astype(np.float32), received.counts, axis=0)
        return LabelledRows(values, label, client)
    raise TypeError(f"{type(received).__name__} of some clients tell none of their rows")


def _on_features(head: LinearHead, learned: Learned) -> LinearHead:
    if learned.scale == 1 and learned.projection is None:
        return head
    scaled = replace(head, weights=learned.scale * head.weights)
    return scaled if learned.projection is None else scaled.after(learned.projection)


def train_each(job: Job, client_data: LabelledFeatures, learned: Sequence[Learned]) -> list[Fit]:
    """Return each seed's perceptron, the task's, trained on the rows that the server has.

    Where the last epoch is taken nothing is chosen by held-out rows, and it learns them too.
    """
    fits, learns_all = [], job.network_training.selection == "last"
    # One after the other: what the server drew is not equally much for all seeds.
    for seed, of_seed in zip(job.seeds, learned, strict=True):
        parts = [*map(_rows, of_seed.parts)]
        # A row that is in neither split comes last: training takes rows from something, even if
        # nothing was sent.
        width = parts[0].values.shape[1]
        values = np.concatenate([*(part.values for part in parts), np.zeros((1, width), "f4")])
        values = values / np.float32(of_seed.scale)  # as long as the test split's
        labels = np.concatenate([*(part.labels for part in parts), np.zeros(1, np.int64)])
        client = np.concatenate([*(part.client for part in parts), np.zeros(1, np.int64)])
        rows = np.arange(len(values))
        payload = Vectors(values, labels, rows, client_data.payload.classes)
        held_in = len(rows) - 1 if learns_all else len(parts[0].values)
        training, validation = np.split(rows[:-1], [held_in])
        received = Received(job, seed, payload, client, training, validation, lambda _: 1.0, None)
        ((fitted,),) = train_on_received(client_data, [[received]])
        fits.append(fitted)
    return fits


def guarantee_of(job: Job, public: np.ndarray | None) -> PrivacyRecord:
    """Return the guarantee of a setting's messages, the noise calibrated.

    Args:
        job: the setting with its training values.
        public: features of public data (m, width), for a clip norm that is their quantile.
    """
    if job.setting.mechanism == "none":
        return no_mechanism()
    return statistics_guarantee(
        clip_norm=clip_norm(required(job.privacy.feature_clip), public),
        epsilon=job.setting.epsilon,
        sigma=job.setting.sigma,
        delta=required(job.privacy.delta),
        central=job.setting.aggregation == "masked",
    )
