"""A client of a deployed one-shot method: its one message, masked or not, and its scores of heads.

It holds its own samples and knows the setting; nothing here needs torch.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fbftl.data.participation import held_out
from fbftl.exchange.ring_messages import seal
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.statistics import LabelledRows, Statistics
from fbftl.methods.one_shot.clients import right_on
from fbftl.methods.one_shot.preparation import (
    holds_out_rows,
    message_of,
    numbers_of,
    prepared,
    ring_of,
)
from fbftl.methods.one_shot.summary_messages import SplitMeansMessage, SummaryMessage
from fbftl.privacy.masking import masked
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import Job
from fbftl.training.closed_form import LinearHead


@dataclass(frozen=True, eq=False)
class OneShotClient:
    """A client with its samples and what it knows of the setting.

    job, seed: of the repetition.
    client: its id.
    values: (n, d) its features.
    labels: (n,) their classes, of N.
    classes: N.
    taking_part: how many clients take part.
    samples, members: training samples of the task, and the clients that they are of.
    guarantee: of the messages, as planned.
    """

    job: Job
    seed: int
    client: int
    values: np.ndarray
    labels: np.ndarray
    classes: int
    taking_part: int
    samples: int
    members: int
    guarantee: PrivacyRecord

    def summary(self) -> list[bytes]:
        """Return its message; nothing where it has too few samples for one."""
        summary = self._message.summary(self.client, self._prepared, self.labels)
        return [] if summary is None else [summary.message(Compression(self.job.setting.bits))]

    def masked_sums(self, sum_number: int, key: bytes) -> list[bytes]:
        """Return what it adds to a sum, under the key that it shares with the dealer."""
        statistics = Statistics.of(self._prepared, self.labels, self.classes)
        count = numbers_of(self.job.setting.message, self.classes, self._prepared.shape[1])
        ring = ring_of(self.job, self.samples, self.members, self.guarantee)
        return [
            seal(masked(statistics.numbers()[:count], key, sum_number, ring=ring), ring, sum_number)
        ]

    def scores(self, messages: tuple[bytes, ...]) -> list[bytes]:
        """Return how many of the rows that it held out each of some heads has right.

        Raises:
            CorruptMessage: if these are no heads.
        """
        width = self._prepared.shape[1]
        (message,) = messages
        numbers = decode(message).values.reshape(-1).astype(np.float64)
        if len(numbers) % (self.classes * (width + 1)):
            raise CorruptMessage(f"it holds no heads of {self.classes} classes and {width} numbers")
        heads = heads_of(numbers, self.classes, width)
        rows = np.ones(len(self.labels), dtype=bool)
        if isinstance(self._message, SplitMeansMessage):
            rows = self._message.holds_out(self.client, self.labels)
        whose = np.full(np.count_nonzero(rows), self.client)
        right = right_on(LabelledRows(self._prepared[rows], self.labels[rows], whose))(heads)
        return [encode(right.astype(np.float32))]

    @cached_property
    def _prepared(self) -> np.ndarray:
        return prepared(self.job, self.values, self.seed, self.guarantee)[0]

    @cached_property
    def _message(self) -> SummaryMessage:
        job, classes, width = self.job, self.classes, self._prepared.shape[1]
        share = job.training.validation
        if holds_out_rows(job, held_out(np.arange(self.taking_part), share, self.seed)[1]):
            return SplitMeansMessage(classes, width, share, self.seed)
        return message_of(job, classes, width, self.seed, self.guarantee, 0)


def numbers_of_heads(heads: list[LinearHead]) -> np.ndarray:
    """Return heads flat, weights and bias of each; a class that is never predicted has the least
    number instead of minus infinity, which no message holds."""
    least = np.finfo(np.float32).min
    parts = [part.reshape(-1) for head in heads for part in (head.weights, head.bias)]
    return np.maximum(np.concatenate(parts), least).astype(np.float32)


def heads_of(numbers: np.ndarray, classes: int, width: int) -> list[LinearHead]:
    """Return the heads of flat numbers."""
    each = numbers.reshape(-1, classes * (width + 1))
    return [
        LinearHead(head[: classes * width].reshape(classes, width), head[classes * width :])
        for head in each
    ]
