"""One seed's clients with what each holds, and what a setting makes of it before it is sent.

Clients and server know all of it from the setting: what features go through, the kind of message,
whether clients hold out rows, and the ring of masked sums. Nothing here trains, so that a client
needs no more than this and the codec.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from fbftl.exchange.post import Post
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.messages.codec import Compression
from fbftl.messages.statistics import LabelledRows, length, random_projection
from fbftl.methods.one_shot.message import Shape, Summary, SummaryMessage, Terms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.statistics import clipped
from fbftl.study.bounds import statistics_bound, summing_ring
from fbftl.study.job import Job, KnownAxes
from fbftl.study.uploads import CANDIDATES
from fbftl.training.closed_form import LinearHead


def prepared(
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


def compression_of(setting: KnownAxes) -> Compression:
    """Return bits, ratio kept and kind of levels of a setting's messages."""
    return Compression(setting.bits, setting.keep, setting.levels == "fitted")


def message_of(
    job: Job, classes: int, width: int, seed: int, guarantee: PrivacyRecord, noised_by: int
) -> SummaryMessage:
    """Return how clients make their messages; `noised_by` is the seed of their noise."""
    terms = Terms(job.setting, job.block["one_shot"], classes, width, seed, guarantee, noised_by)
    module = import_module(f"fbftl.methods.one_shot.messages.{job.setting.message}")
    return module.message(terms)


def holds_out_rows(job: Job, validation: np.ndarray) -> bool:
    """Tell whether clients hold out rows: a shrinkage is chosen, and no client is held out."""
    setting = job.setting
    chooses = setting.message == "means" and setting.head in CANDIDATES
    several = chooses and len(job.block["one_shot"][CANDIDATES[setting.head]]) > 1
    return several and job.training.validation > 0 and not len(validation)


def numbers_of(message: str, classes: int, width: int) -> int:
    """Return the numbers of a message that adds up; means are sent as sums."""
    return classes * (width + 1) if message == "means" else length(classes, width)


def ring_of(job: Job, samples: int, members: int, guarantee: PrivacyRecord) -> Ring:
    """Return the ring of a setting's sums: they add up over all samples, however these are dealt.

    Args:
        job: the setting with its training values.
        samples: training samples of the task.
        members: clients that these are of.
        guarantee: whose clip norm samples are clipped to and scaled by; None bounds no feature.
    """
    bound = None
    if guarantee.clip_norm is not None:
        bound = statistics_bound(samples, second_moments=job.setting.message != "means")
    return summing_ring(bound, members, job.setting.fraction_bits, guarantee.noise_std)


HeadEvaluation = Callable[[Sequence[LinearHead]], np.ndarray]
"""Gives the number of held-out rows that each of some heads has right."""


@dataclass(frozen=True, eq=False)
class Clients:
    """One seed's clients with what each holds.

    owner: (U,) their ids, of all clients, whether or not they take part.
    first: (U,) number of their first sample in the data set, ascending, by which each draws.
    rows: rows of each.
    values, labels: of all rows, as messages are made of them.
    taking_part: places of the clients that do.
    """

    owner: np.ndarray
    first: np.ndarray
    rows: Sequence[np.ndarray]
    values: np.ndarray
    labels: np.ndarray
    taking_part: np.ndarray

    def rows_of(self, places: Sequence[int]) -> np.ndarray:
        """Return the rows of some clients together."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(self.rows[index] for index in places)])

    def held_by(self, places: Sequence[int]) -> LabelledRows:
        """Return the samples of some clients together."""
        rows = self.rows_of(places)
        sizes = [len(self.rows[index]) for index in places]
        return LabelledRows(
            self.values[rows], self.labels[rows], np.repeat(self.first[places], sizes)
        )

    def summary(self, message: SummaryMessage, index: int) -> Summary | None:
        """Return one client's summary, None without a message."""
        rows = self.rows[index]
        return message.summary(int(self.first[index]), self.values[rows], self.labels[rows])

    def shapes(self, message: SummaryMessage) -> list[Shape | None]:
        """Return what each client's message holds, None of those that are made to see."""
        return [
            message.shape(int(first), self.values[rows], self.labels[rows])
            for first, rows in zip(self.first, self.rows, strict=True)
        ]

    def keeping(self, kept: Sequence[np.ndarray]) -> "Clients":
        """Return these clients with some of their rows: booleans like the rows of each."""
        return replace(self, rows=[rows[some] for rows, some in zip(self.rows, kept, strict=True)])


def right_on(rows: LabelledRows) -> HeadEvaluation:
    """Return what counts the rows that heads have right."""

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        return np.array(
            [np.count_nonzero(head.scores(rows.values).argmax(axis=1) == rows.labels)
             for head in heads]
        )  # fmt: skip

    return right


def evaluation_by_clients(
    clients: Clients, places: Sequence[int], post: Post, counts: dict[str, Any]
) -> HeadEvaluation:
    """Return what sends heads to held-out clients and sums up their answers.

    Args:
        clients: who holds what.
        places: of the held-out clients.
        post: through which heads and answers go; an answer that is lost does not count.
        counts: what the messages come to, brought up to date.
    """

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        owners = clients.owner[places]
        numbers = len(heads) * (heads[0].weights.size + heads[0].bias.size)
        post.down({"weights": np.full(len(places), numbers)}, owners)
        receipt = post.up({"scores": np.full(len(places), len(heads))}, owners)
        counts.update(post.totals(range(1)))
        arrived = [index for index, here in zip(places, receipt.arrives, strict=True) if here]
        return right_on(clients.held_by(arrived))(heads)

    return right
