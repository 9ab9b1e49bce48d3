"""Clients that upload less than their features: one message each, and what the server then has.

A message is class means with their counts, the statistics of a client's features or of their random
projections, or mixtures of each class (docs/papers/rivals.md). It is encoded as any other, lost as
a whole, and lost for good. Under a secure sum the server has the sum alone; class means are then
sent as sums, which add up.

Some clients are held out to choose by, as many as the task holds out of samples: a message that
holds no rows can only be held out whole. Where messages are class means, held-out clients are sent
the candidates' heads and answer how many of their rows each has right. Where these would be fewer
than ten, every client holds out rows before it takes its class means, and sends both means, of the
rows that it keeps and of those held out: candidates are solved from the former, all clients score
them on their held-out rows, and the head is solved again from both, for which nothing more is sent.
"""

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from fbftl.data.participation import Participants, by_first_sample, held_out
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import GaussianOnSums, SecureSum, noise_on_sums
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import Encoded
from fbftl.messages.payload import Vectors
from fbftl.messages.statistics import ClassMeans, LabelledRows, Moments, SplitMeans, Statistics
from fbftl.methods.one_shot.clients import (
    Clients,
    HeadEvaluation,
    evaluation_by_clients,
    holds_out_rows,
    message_of,
    numbers_of,
    prepared,
    right_on,
    ring_of,
)
from fbftl.methods.one_shot.message import Summary, SummaryMessage
from fbftl.methods.one_shot.messages.means import SplitMeansMessage
from fbftl.methods.one_shot.messages.statistics import StatisticsMessage
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.study.uploads import CANDIDATES

Knowledge = Statistics | ClassMeans | LabelledRows | Moments
"""What the server knows of some clients."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What one seed's messages tell the server.

    training: of the clients that heads are solved from.
    held_out: of those held out; None if there are none.
    classes: number of classes N.
    training_rows: rows behind `training`.
    held_out_rows: rows behind `held_out`.
    right: how many held-out rows each of some heads has right; None if nobody can tell.
    offered: rows of the clients that take part.
    counts: what the messages come to, for the run file.
    projection: (d, k) that features went through; None if through none.
    scale: what features were multiplied by.
    """

    training: Knowledge
    held_out: Knowledge | None
    classes: int
    training_rows: np.ndarray
    offered: np.ndarray
    counts: dict[str, Any]
    projection: np.ndarray | None = None
    scale: float = 1.0
    held_out_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    right: HeadEvaluation | None = None

    @property
    def parts(self) -> list[Knowledge]:
        """What the server knows of the clients that are not held out, then of those that are."""
        return [self.training] if self.held_out is None else [self.training, self.held_out]

    @property
    def whole(self) -> Knowledge:
        """What the server knows of all of them together."""
        kept: Any = self.training
        return kept if self.held_out is None else kept + self.held_out


def send_summaries(job: Job, participants: Participants, payload: Vectors, post: Post) -> Learned:
    """Send one seed's messages.

    Args:
        job: the setting with its training values.
        participants: the clients of the seed.
        payload: features and labels of all samples.
        post: through which they go, with their guarantee.

    Raises:
        UserError: if a projection is wider than a feature, a masked sum could leave its ring, or
            nothing can be held out to choose a regularisation by.
    """
    setting, block = job.setting, job.block["one_shot"]
    seed, guarantee = participants.seed, post.guarantee
    values, projection, scale = prepared(job, payload.values, seed, guarantee)
    owner, rows, first = by_first_sample(participants.client, payload.sample)
    offering = participants.client[participants.offered]
    taking_part = np.flatnonzero(np.isin(owner, offering))
    clients = Clients(owner, first, rows, values, payload.labels, taking_part)
    training, validation = held_out(taking_part, job.training.validation, seed)
    classes, width = payload.classes, values.shape[1]
    holders = participants.client, payload.sample
    split = None
    if holds_out_rows(job, validation):
        share, per_class = job.training.validation, setting.means_per_class
        split = SplitMeansMessage(classes, width, share, seed, per_class)
    secure = None
    if setting.aggregation != "open":
        sum_noise = noise_on_sums(job, seed, guarantee.noise_std, owner, holders)
        secure = SecureSum(post, ring_of(job, len(values), len(owner), guarantee))
        receive = _masked(clients, secure, setting.message, classes, sum_noise, block["made"])
    else:
        noised_by = noise_seed(job, seed, *holders)
        message = split or message_of(job, classes, width, seed, guarantee, noised_by)
        receive = _open(clients, post, message, block["made"])
    results = [receive(clients) for clients in (training, validation)]
    (training_part, arrived), (other, others) = results
    counts: dict[str, Any] = {
        "clients": len(taking_part),
        "offered": len(participants.offered),
        "received": len(clients.rows_of([*arrived, *others])),
        "upload_batches": len(taking_part),
        **post.totals(range(1)),
    }
    if secure is None:
        sent_bits = setting.bits * setting.keep
        numbers = counts["uplink_payload_bits"] / sent_bits / len(taking_part)
    else:
        numbers = float(numbers_of(setting.message, classes, width))
        counts |= secure.ring.record | {"privacy": [asdict(guarantee)]}
    counts["numbers_per_batch"] = numbers
    solving = scoring = clients
    if split is not None and isinstance(training_part, SplitMeans):
        solving, scoring = _halves(job, clients, split)
        other, others, training_part = training_part.held_out, arrived, training_part.kept
    training_rows = solving.rows_of(arrived)
    held_out_rows = scoring.rows_of(others)
    right = None
    if isinstance(training_part, LabelledRows):
        right = right_on(other) if len(others) else None
    elif isinstance(training_part, ClassMeans | Moments) and len(held_out_rows):
        scoring_clients = [index for index in others if len(scoring.rows[index])]
        right = evaluation_by_clients(scoring, scoring_clients, post, counts)
    other = other if len(others) else None
    beside = projection, scale, held_out_rows, right
    return Learned(
        training_part, other, classes, training_rows, participants.offered, counts, *beside
    )


def _halves(job: Job, clients: Clients, message: SplitMeansMessage) -> tuple[Clients, Clients]:
    """Return the clients with the rows that each keeps, and with those that it holds out.

    Raises:
        UserError: if none of those that take part holds any out.
    """
    held_out = [
        message.holds_out(int(first), clients.labels[rows])
        for first, rows in zip(clients.first, clients.rows, strict=True)
    ]
    if not any(held_out[index].any() for index in clients.taking_part):
        raise UserError(
            f"head {job.setting.head} of task {job.task} chooses among "
            f"one_shot.{CANDIDATES[job.setting.head]} by samples "
            "that clients hold out, and no client has two samples of a class; give one value there"
        )
    return clients.keeping([~rows for rows in held_out]), clients.keeping(held_out)


def _open(clients: Clients, post: Post, message: SummaryMessage, bound: int) -> Any:
    """Send every client's message; return what gives the server's knowledge of some of them.

    How long messages are follows from what they hold, or else they are made, as they are where some
    elements are left out.

    Args:
        clients: who sends what.
        post: through which.
        message: how each is made.
        bound: bytes of messages that are really made; the first one always is.
    """
    shapes = clients.shapes(message)
    bits, floats = np.full(len(shapes), 8 * HEADER_BYTES), np.zeros(len(shapes), dtype=np.int64)
    digests: list[bytes | None] = [None] * len(shapes)
    read: dict[int, Summary] = {}

    def make(index: int) -> None:
        summary = clients.summary(message, index)
        if summary is not None:
            made, read[index] = summary.sent(post.compression)
            digests[index] = sha256(made).digest()
            bits[index], floats[index] = 8 * len(made), summary.numbers

    for index, shape in enumerate(shapes):
        if shape is None or post.compression.keep != 1:
            make(index)
        else:
            bits[index], floats[index] = shape.bits(post.compression), shape.numbers
    spent = 0
    for index in clients.taking_part.tolist():
        spent += int(bits[index]) // 8
        if read and spent > bound:
            break
        if index not in read:
            make(index)
    content = Encoded(bits, digests)
    receipt = post.up(
        {"statistics": floats}, clients.owner, content=content, offered=clients.taking_part
    )
    arrives = dict(zip(clients.taking_part.tolist(), receipt.arrives.tolist(), strict=True))

    def receive(places: np.ndarray) -> tuple[Knowledge | SplitMeans, list[int]]:
        arrived = [index for index in places.tolist() if arrives[index]]
        rest = [index for index in arrived if index not in read]
        # Plain statistics that were not made alone are those of all samples at once.
        plain = post.compression.bits == 32
        sums = message if isinstance(message, StatisticsMessage) and plain else None
        pools = sums is not None and rest
        each = (
            (int(clients.first[index]), summary)
            for index in arrived
            if not (pools and index in rest)
            if (summary := read.get(index) or _read(clients, message, index, post.compression))
        )
        if sums is not None and rest:
            return sums.combined(each) + sums.pooled(clients.held_by(rest)), arrived
        return message.combined(each), arrived

    return receive


def _read(
    clients: Clients, message: SummaryMessage, index: int, compression: Compression
) -> Summary | None:
    summary = clients.summary(message, index)
    return None if summary is None else summary.sent(compression)[1]


def _masked(
    clients: Clients, secure: SecureSum, message: str, classes: int,
    sum_noise: GaussianOnSums | None, bound: int,
) -> Any:  # fmt: skip
    """Return what sends some clients' messages masked and gives their sum to the server.

    Args:
        clients: who sends what.
        secure: the sums of this seed.
        message: means, sent as sums, or statistics, of projections or not.
        classes: number of classes N.
        sum_noise: that the dealer adds to a sum; None for none.
        bound: bytes of messages that are really made.
    """
    width = clients.values.shape[1]
    count = numbers_of(message, classes, width)

    def numbers(index: int) -> np.ndarray:
        """Return a client's flat message; means are its first numbers."""
        rows = clients.rows[index]
        statistics = Statistics.of(clients.values[rows], clients.labels[rows], classes)
        return statistics.numbers()[:count]

    def receive(places: np.ndarray) -> tuple[Statistics, list[int]]:
        summed = secure.of(
            numbers,
            clients.owner,
            part="statistics",
            offered=places,
            noise=sum_noise,
            masked_count=max(1, bound // secure.ring.message_bytes(count)),
        )
        arrived = places[summed.receipt.arrives].tolist()
        if summed.total is None:
            return Statistics.nothing(classes, width), []
        return Statistics.of_numbers(summed.total, classes, width), arrived

    return receive
