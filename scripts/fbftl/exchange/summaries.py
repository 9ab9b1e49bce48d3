"""Clients that upload less than their features: one message each, and what the server then has.

A message is class means with their counts, the statistics of a client's features or of their random
projections, or mixtures of each class (docs/what-to-upload.md). It is encoded as any other, lost as
a whole, and lost for good. Under a secure sum the server has the sum alone; class means are then
sent as sums, which add up.

Some clients are held out to choose by, as many as the task holds out of samples: a message that
holds no rows can only be held out whole. Where messages are class means, held-out clients are sent
the candidates' heads and answer how many of their rows each has right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fbftl.data.participation import clients_of, grouped, held_out, participating
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum, SumNoise, noise_on_sums
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression
from fbftl.messages.kinds import Kind, MeansMessage, MixturesMessage, StatisticsMessage
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.messages.mixtures import Fitting
from fbftl.messages.release import Encoded
from fbftl.messages.statistics import (
    ClassMeans,
    LabelledRows,
    Statistics,
    length,
    random_projection,
)
from fbftl.messages.summary import Shape, Summary
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.privacy.noise import clip_norm
from fbftl.privacy.statistics import clipped, statistics_guarantee
from fbftl.study.job import Job
from fbftl.study.release import noise_seed
from fbftl.tasks.task import HeldFeatures
from fbftl.training.closed_form import LinearHead

Known = Statistics | ClassMeans | LabelledRows
"""What the server knows of some clients."""

Judge = Callable[[Sequence[LinearHead]], np.ndarray]
"""Gives the number of held-out rows that each of some heads has right."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What one seed's messages tell the server.

    training: of the clients that heads are solved from.
    held: of those held out; None if there are none.
    members: rows behind `training`.
    held_members: rows behind `held`.
    right: how many held-out rows each of some heads has right; None if nobody can tell.
    offered: rows of the clients that take part.
    counts: what the messages come to, for the run file.
    projection: (d, k) that features went through; None if through none.
    scale: what features were multiplied by.
    """

    training: Known
    held: Known | None
    members: np.ndarray
    offered: np.ndarray
    counts: dict[str, Any]
    projection: np.ndarray | None = None
    scale: float = 1.0
    held_members: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    right: Judge | None = None


@dataclass(frozen=True, eq=False)
class Clientele:
    """One seed's clients with what each holds.

    owner: (U,) their ids, ascending; of all clients, whether or not they take part.
    rows: rows of each.
    values, labels: of all rows, as messages are made of them.
    taking_part: places of the clients that do.
    """

    owner: np.ndarray
    rows: Sequence[np.ndarray]
    values: np.ndarray
    labels: np.ndarray
    taking_part: np.ndarray

    def rows_of(self, places: Sequence[int]) -> np.ndarray:
        """Return the rows of some clients together."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(self.rows[place] for place in places)])

    def held_by(self, places: Sequence[int]) -> LabelledRows:
        """Return the samples of some clients together."""
        rows = self.rows_of(places)
        sizes = [len(self.rows[place]) for place in places]
        return LabelledRows(
            self.values[rows], self.labels[rows], np.repeat(self.owner[places], sizes)
        )

    def said(self, kind: Kind, place: int) -> Summary | None:
        """Return what one client says."""
        rows = self.rows[place]
        return kind.said(int(self.owner[place]), self.values[rows], self.labels[rows])

    def shapes(self, kind: Kind) -> list[Shape]:
        """Return what each client's message holds."""
        return [
            kind.shape(int(client), self.values[rows], self.labels[rows])
            for client, rows in zip(self.owner, self.rows, strict=True)
        ]


def guarantee_of(job: Job, public: np.ndarray | None) -> PrivacyRecord:
    """Return the guarantee of a setting's messages, the noise calibrated.

    Args:
        job: the setting with its training values.
        public: (m, d) features of public data, for a clip norm that is their quantile.
    """
    setting, privacy = job.setting, job.privacy
    if setting.mechanism == "none":
        return no_mechanism()
    return statistics_guarantee(
        clip_norm=clip_norm(privacy.feature_clip, public),
        epsilon=setting.epsilon,
        sigma=setting.sigma,
        delta=privacy.delta,
        central=setting.aggregation == "masked",
    )


def send_summaries(
    job: Job, held: HeldFeatures, ledger: Ledger, seed: int, guarantee: PrivacyRecord
) -> Learned:
    """Send one seed's messages, after the frozen extractor went to all clients once.

    Args:
        job: the setting with its training values.
        held: what the clients hold.
        ledger: added to.
        seed: the repetition's seed.
        guarantee: of the messages, from `guarantee_of`.

    Raises:
        UserError: if a feature is not finite, a projection is wider than a feature, or a masked sum
            could leave its ring.
    """
    setting, block = job.setting, job.block["one_shot"]
    values, projection, scale = _prepared(job, held.payload.values, seed, guarantee)
    client = clients_of(job, held.holdings, seed)
    offered = participating(client, setting.fraction, seed)
    owner, rows = grouped(np.arange(len(client)), client)
    taking_part = np.flatnonzero(np.isin(owner, client[offered]))
    clientele = Clientele(owner, rows, values, held.payload.labels, taking_part)
    training, validation = held_out(taking_part, job.training.validation, seed)
    compression = Compression(setting.bits)
    link = link_of(setting, held.payload.block_bits)
    post = Post(ledger, link, seed, guarantee, compression)
    post.broadcast({"weights": held.frozen_floats})
    classes, width = held.payload.classes, values.shape[1]
    if setting.aggregation == "masked":
        dealt = client, held.payload.sample
        sum_noise = noise_on_sums(job, seed, guarantee.noise_std, clientele.owner, dealt)
        heard = _masked(clientele, post, setting.message, classes, sum_noise, block["made"])
    else:
        noised_by = noise_seed(job, seed, client, held.payload.sample)
        kind = _kind(job, classes, width, seed, guarantee, noised_by)
        heard = _open(clientele, post, kind, block["made"])
    found = [heard(own) for own in (training, validation)]
    (known, arrived), (other, others) = found
    counts = {
        "clients": len(taking_part),
        "offered": len(offered),
        "received": len(clientele.rows_of([*arrived, *others])),
        "upload_batches": len(taking_part),
        **post.totals(range(1)),
    }
    number = 64 if setting.aggregation == "masked" else setting.bits
    counts["numbers_per_batch"] = counts["uplink_payload_bits"] / number / len(taking_part)
    members = clientele.rows_of(arrived)
    held_members = clientele.rows_of(others)
    right = None
    if setting.message == "means" and setting.aggregation == "open" and len(others):
        right = _asked(clientele, others, post, counts)
    other = other if len(others) else None
    return Learned(known, other, members, offered, counts, projection, scale, held_members, right)


def right_on(rows: LabelledRows) -> Judge:
    """Return what counts the rows that heads have right."""

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        return np.array(
            [np.count_nonzero(head.scores(rows.values).argmax(axis=1) == rows.labels)
             for head in heads]
        )  # fmt: skip

    return right


def _asked(
    clientele: Clientele, places: Sequence[int], post: Post, counts: dict[str, Any]
) -> Judge:
    """Return what sends heads to held-out clients and sums up their answers.

    Args:
        clientele: who holds what.
        places: of the clients that are asked.
        post: through which heads and answers go; an answer that is lost does not count.
        counts: what the messages come to, brought up to date.
    """

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        clients = clientele.owner[places]
        numbers = len(heads) * (heads[0].weights.size + heads[0].bias.size)
        post.down({"weights": np.full(len(places), numbers)}, clients)
        receipt = post.up({"scores": np.full(len(places), len(heads))}, clients)
        counts.update(post.totals(range(1)))
        arrived = [place for place, here in zip(places, receipt.arrives, strict=True) if here]
        return right_on(clientele.held_by(arrived))(heads)

    return right


def _prepared(
    job: Job, values: np.ndarray, seed: int, guarantee: PrivacyRecord
) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Return what messages are made of, what features were projected by, and their scale."""
    projection = None
    if job.setting.message == "projected":
        width, dimensions = values.shape[1], job.setting.projection
        if dimensions > width:
            raise UserError(
                f"setting projection {dimensions} is wider than the {width} numbers of a feature; "
                "give at most as many"
            )
        projection = random_projection(width, dimensions, seed)
        values = values @ projection
    if guarantee.clip_norm is None:
        return values, projection, 1.0
    return clipped(values, guarantee.clip_norm), projection, 1 / guarantee.clip_norm


def _kind(
    job: Job, classes: int, width: int, seed: int, guarantee: PrivacyRecord, noised_by: int
) -> Kind:
    """Return the kind of message; `noised_by` is the seed of its noise."""
    match job.setting.message:
        case "means":
            return MeansMessage(classes, width)
        case "mixtures":
            setting, block = job.setting, job.block["one_shot"]
            sizes = [setting.components] if setting.components else block["components"]
            return MixturesMessage(
                classes,
                width,
                tuple(sorted(sizes)),
                Fitting(block["least_variance"], setting.covariance == "spherical"),
                block["least_samples"],
                seed,
            )
        case _:
            return StatisticsMessage(classes, width, guarantee.noise_std or 0.0, noised_by)


def _open(clientele: Clientele, post: Post, kind: Kind, bound: int) -> Any:
    """Send every client's message; return what gives the server's knowledge of some of them.

    Args:
        clientele: who sends what.
        post: through which.
        kind: of the messages.
        bound: bytes of messages that are really made; the first one always is.
    """
    shapes = clientele.shapes(kind)
    bits = np.array([shape.bits(post.compression) for shape in shapes])
    floats = np.array([shape.numbers for shape in shapes])
    digests: list[bytes | None] = [None] * len(shapes)
    read: dict[int, Summary] = {}
    spent = 0
    for place in clientele.taking_part.tolist():
        spent += int(bits[place]) // 8
        if read and spent > bound:
            break
        said = clientele.said(kind, place)
        if said is not None:
            digests[place] = said.digest(post.compression)
            read[place] = said.read(post.compression)
    made = Encoded(bits, digests)
    receipt = post.up(
        {"statistics": floats}, clientele.owner, content=made, offered=clientele.taking_part
    )
    arrives = dict(zip(clientele.taking_part.tolist(), receipt.arrives.tolist(), strict=True))

    def heard(places: np.ndarray) -> tuple[Known, list[int]]:
        arrived = [place for place in places.tolist() if arrives[place]]
        rest = [place for place in arrived if place not in read]
        pools = isinstance(kind, StatisticsMessage) and post.compression.bits == 32 and rest
        each = (
            (int(clientele.owner[place]), said)
            for place in arrived
            if not (pools and place in rest)
            if (said := read.get(place) or _read(clientele, kind, place, post.compression))
        )
        known = kind.known(each)
        if pools:
            known = known + kind.pooled(clientele.held_by(rest))
        return known, arrived

    return heard


def _read(clientele: Clientele, kind: Kind, place: int, compression: Compression) -> Summary | None:
    said = clientele.said(kind, place)
    return None if said is None else said.read(compression)


def _masked(
    clientele: Clientele,
    post: Post,
    message: str,
    classes: int,
    sum_noise: SumNoise,
    bound: int,
) -> Any:
    """Return what sends some clients' messages masked and gives their sum to the server.

    Args:
        clientele: who sends what.
        post: through which.
        message: means, sent as sums, or statistics, of projections or not.
        classes: number of classes N.
        sum_noise: what the dealer adds to a sum.
        bound: bytes of messages that are really made.
    """
    width = clientele.values.shape[1]
    count = classes * (width + 1) if message == "means" else length(classes, width)
    secure = SecureSum(post)
    values = _Numbers(clientele, classes, count)

    def heard(places: np.ndarray) -> tuple[Statistics, list[int]]:
        summed = secure.of(
            values,
            clientele.owner,
            part="statistics",
            offered=places,
            noise=sum_noise,
            made=max(1, bound // (8 * count)),
        )
        arrived = places[summed.receipt.arrives].tolist()
        if summed.total is None:
            return Statistics.nothing(classes, width), []
        return _statistics(summed.total, classes, width), arrived

    return heard


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Every client's flat message, made where it is asked for; means are its first numbers."""

    clientele: Clientele
    classes: int
    count: int

    def __getitem__(self, place: int) -> np.ndarray:
        own = self.clientele.rows[place]
        values, labels = self.clientele.values[own], self.clientele.labels[own]
        return Statistics.of(values, labels, self.classes).numbers()[: self.count]


def _statistics(total: np.ndarray, classes: int, width: int) -> Statistics:
    """Return a masked sum as statistics; of means' without second moments."""
    if len(total) == length(classes, width):
        return Statistics.of_numbers(total, classes, width)
    counts, sums = np.split(total, [classes])
    return Statistics(counts, sums.reshape(classes, width), np.zeros((0, 0)))
