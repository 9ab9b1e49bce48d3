"""The server of a deployed one-shot method: it solves the head of a study from what arrives.

Messages are read one by one, or their masked sum with what a dealer tells of the masks. Where a
regularisation is chosen by clients, the heads of its candidates go down and scores come up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fbftl.data.participation import grouped, held_out, participating
from fbftl.exchange.arrivals import NOISE_OF_A_STUDY, Arrived, Exchange, Served, enter
from fbftl.exchange.post import Post
from fbftl.exchange.ring_messages import unseal
from fbftl.ground.errors import UserError
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import Ring
from fbftl.learners.linear import score_of_linear
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.messages.statistics import ClassMeans, SplitMeans, Statistics
from fbftl.methods.one_shot.answering import numbers_of_heads
from fbftl.methods.one_shot.clients import HeadEvaluation
from fbftl.methods.one_shot.message import Summary
from fbftl.methods.one_shot.preparation import (
    holds_out_rows,
    numbers_of,
    ring_of,
    statistics_of_sum,
)
from fbftl.methods.one_shot.run import solved_on_features
from fbftl.methods.one_shot.summaries import Knowledge, Learned
from fbftl.methods.one_shot.summary_messages import (
    MeansMessage,
    SplitMeansMessage,
    StatisticsMessage,
)
from fbftl.privacy.masking import KEY_BYTES, unmasked_sum
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.tasks.images import ClientImageFeatures


class DealerLink(Protocol):
    """How a server reaches the dealer of its masked sums."""

    def sum_of_masks(
        self, clients: Sequence[int], sum_number: int, count: int, ring: Ring
    ) -> np.ndarray:
        """Return the sum (count,) of the masks of clients in the sum `sum_number`.

        Raises:
            UserError: if the dealer tells none, as of fewer than two or twice of one sum.
        """


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    setting = job.setting
    if setting.message not in ("means", "statistics"):
        yield f"its message is {setting.message}, and means and statistics are what is deployed"
    if setting.mechanism != "none":
        yield NOISE_OF_A_STUDY


def serve(
    job: Job,
    seed: int,
    server: ClientImageFeatures,
    exchange: Exchange,
    dealer: DealerLink | None = None,
) -> Served:
    """Ask for all messages and solve the head from those that arrive.

    Args:
        job: the setting with its training values.
        seed: of the repetition.
        server: the test split, and who holds which row; the rows themselves are the clients'.
        exchange: with the clients.
        dealer: of masked sums, where the setting has them.

    Raises:
        UserError: if nothing arrives, or no sum can be told.
    """
    serving = _Serving(job, seed, server, exchange)
    learned = serving.learned() if dealer is None else serving.learned_from_sums(dealer)
    solved = solved_on_features(job, learned, server.classes)
    return Served.of(score_of_linear(server, solved.head).record, serving.post.ledger)


@dataclass
class _Serving:
    """One run of the server.

    job, seed, server, exchange: as `serve` has them.
    """

    job: Job
    seed: int
    server: ClientImageFeatures
    exchange: Exchange

    def __post_init__(self) -> None:
        job, client = self.job, self.server.partition.client
        self.offered = participating(client, job.setting.fraction, self.seed)
        self.owner = grouped(np.arange(len(client)), client)[0]
        self.taking_part = np.flatnonzero(np.isin(self.owner, client[self.offered]))
        share = job.training.validation
        self.training, self.validation = held_out(self.taking_part, share, self.seed)
        ledger = Ledger(method=job.setting.method, store=self.server.provenance["features"])
        link = link_of(job.setting, self.server.block_bits)
        compression = Compression(job.setting.bits)
        self.post = Post(ledger, link, self.seed, no_mechanism(), compression)
        self.post.broadcast({"weights": self.server.frozen_floats})

    # --- messages one by one ----------------------------------------------------------------

    def learned(self) -> Learned:
        """Return what the server has of messages that it reads one by one."""
        message, classes = self._message(), self.server.classes
        owners = self.owner[self.taking_part].tolist()
        arrived = self.exchange.request("summary", owners, self._summary)
        if not arrived:
            raise UserError("no message arrived, so that there is nothing to solve; see the log")
        here = self._enter("statistics", self.taking_part, arrived, _numbers(arrived))
        summaries = {answer.client: answer.content for answer in arrived if answer.client in here}
        training, validation = (
            message.combined((client, summaries[client]) for client in self._of(places, summaries))
            for places in (self.training, self.validation)
        )
        if isinstance(training, SplitMeans):
            scoring_clients = [
                client for client, summary in summaries.items() if len(summary.tables) > 1
            ]
            return self._with(training.kept, training.held_out, scoring_clients)
        if isinstance(training, ClassMeans | Statistics):
            others = self._of(self.validation, summaries)
            means = self.job.setting.message == "means"
            other = validation if others and not isinstance(validation, SplitMeans) else None
            return self._with(training, other, others if means else [])
        raise TypeError(f"{classes} classes of {type(training).__name__} are no summary")

    def _message(self) -> MeansMessage | SplitMeansMessage | StatisticsMessage:
        classes, width = self.server.classes, self.server.width
        if holds_out_rows(self.job, self.validation):
            share = self.job.training.validation
            return SplitMeansMessage(classes, width, share, self.seed)
        if self.job.setting.message == "means":
            return MeansMessage(classes, width)
        return StatisticsMessage(classes, width)

    def _summary(self, _: int, messages: tuple[bytes, ...]) -> Summary:
        """Return what a client's message says, if it is one of this setting's."""
        if len(messages) != 1:
            raise CorruptMessage(f"it has {len(messages)} messages, not one")
        classes, width = self.server.classes, self.server.width
        summary = Summary.of_message(messages[0], classes)
        means = self.job.setting.message == "means"
        upper = width * (width + 1) // 2
        shapes = [table.rows.shape for table in summary.tables]
        labels = [table.labels for table in summary.tables]
        counted = sum(len(table.rows) for table in summary.tables) if means else classes
        if len(summary.counts) != counted or (summary.counts < 0).any():
            raise CorruptMessage(f"it counts {len(summary.counts)} classes, not {counted}")
        if means and not all(
            shape[1] == width and of is not None and (of < classes).all()
            for shape, of in zip(shapes, labels, strict=True)
        ):
            raise CorruptMessage(f"its means are not of {width} numbers and {classes} classes")
        if not means and shapes != [(classes, width), (1, upper)]:
            raise CorruptMessage(f"it has tables of {shapes}, which are no statistics")
        return summary

    def _with(
        self, training: Knowledge, other: Knowledge | None, scoring_clients: list[int]
    ) -> Learned:
        """Return what heads are solved from, and who scores them."""
        nothing = np.zeros(0, dtype=np.int64)
        right = self._scores(scoring_clients) if scoring_clients else None
        return Learned(training, other, nothing, self.offered, {}, right=right)

    def _scores(self, scoring_clients: list[int]) -> HeadEvaluation:
        """Return what sends heads to clients and adds up what their answers count."""

        def right(heads: Sequence[Any]) -> np.ndarray:
            def reading(_: int, messages: tuple[bytes, ...]) -> np.ndarray:
                (message,) = messages
                counts = decode(message).values
                if counts.shape != (1, len(heads)):
                    raise CorruptMessage(f"it scores {counts.size} heads, not {len(heads)}")
                return counts[0]

            numbers = numbers_of_heads(list(heads))
            self.post.down(
                {"weights": np.full(len(scoring_clients), len(numbers))}, np.array(scoring_clients)
            )
            arrived = self.exchange.request("scores", scoring_clients, reading, [encode(numbers)])
            places = np.searchsorted(self.owner, scoring_clients)
            here = self._enter("scores", places, arrived, len(heads), everyone=False)
            counts = [answer.content for answer in arrived if answer.client in here]
            return np.sum(counts, axis=0) if counts else np.zeros(len(heads))

        return right

    # --- masked sums ------------------------------------------------------------------------

    def learned_from_sums(self, dealer: DealerLink) -> Learned:
        """Return what the server has of masked sums, and of nothing that one client says."""
        sums = [
            self._sum(places, sum_number, dealer)
            for sum_number, places in enumerate((self.training, self.validation), 1)
        ]
        other = sums[1] if len(self.validation) else None
        return self._with(sums[0], other, [])

    def _sum(self, places: np.ndarray, sum_number: int, dealer: DealerLink) -> Statistics:
        classes, width = self.server.classes, self.server.width
        samples = len(self.server.partition.client)
        ring = ring_of(self.job, samples, len(self.owner), no_mechanism())
        count = numbers_of(self.job.setting.message, classes, width)
        owners = self.owner[places]
        self.post.down({"share": KEY_BYTES // FLOAT_BYTES}, owners, sender="dealer")

        def reading(_: int, messages: tuple[bytes, ...]) -> np.ndarray:
            if len(messages) != 1:
                raise CorruptMessage(f"it has {len(messages)} messages, not one")
            return unseal(messages[0], ring, sum_number, count)

        clients = owners.tolist()
        arrived = (
            self.exchange.request("sums", clients, reading, round_or_sum=sum_number)
            if clients
            else []
        )
        here = self._enter("statistics", places, arrived, ring.floats(count))
        summed = [answer for answer in arrived if answer.client in here]
        if not len(owners):  # nobody was asked, so there is nothing to tell the dealer
            return Statistics.nothing(classes, width)
        self.post.between({"mask": len(summed)}, "server", "dealer")
        members = [answer.client for answer in summed]
        masks = dealer.sum_of_masks(members, sum_number, count, ring)
        self.post.between({"mask": ring.floats(count)}, "dealer", "server")
        total = unmasked_sum([answer.content for answer in summed], masks, ring)
        return statistics_of_sum(total, classes, width)

    # --- both -------------------------------------------------------------------------------

    def _of(self, places: np.ndarray, summaries: dict[int, Summary]) -> list[int]:
        """Return the clients at some places whose message is here, in the order of their ids."""
        return [client for client in self.owner[places].tolist() if client in summaries]

    def _enter(
        self,
        part: str,
        places: np.ndarray,
        arrived: Sequence[Arrived[Any]],
        numbers: int | float | dict[int, int],
        everyone: bool = True,
    ) -> set[int]:
        """Enter a message of each client at some places; return whose is here after the link.

        Args:
            part: what they hold.
            places: of those that were asked.
            arrived: what came.
            numbers: floats of a message, or of each client's.
            everyone: whether the losses of all clients are drawn, as a study draws them.
        """
        came = {answer.client: answer.messages[0] for answer in arrived}
        clients = self.owner if everyone else self.owner[places]
        floats: int | float | np.ndarray
        if isinstance(numbers, dict):
            usual = int(np.median(list(numbers.values())))
            floats = np.array([numbers.get(client, usual) for client in clients.tolist()])
        else:
            floats = numbers
        messages = [came.get(client) for client in clients.tolist()]
        offered = places if everyone else None
        receipt = enter(self.post, {part: floats}, clients, messages, offered=offered)
        return set(receipt.client[receipt.arrives].tolist())


def _numbers(arrived: Sequence[Arrived[Summary]]) -> dict[int, int]:
    """Return how many numbers each client's summary holds."""
    return {
        answer.client: len(answer.content.counts)
        + sum(table.rows.size for table in answer.content.tables)
        for answer in arrived
    }
