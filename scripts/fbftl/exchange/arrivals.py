"""What a server has of clients that a network carries: their answers to its requests, and no more.

A study knows every message before it is sent. Here a request names the run, its number in it and
what is asked, and an answer is taken once, from a client that was asked, while its request is open,
under this version, and if its messages can be read. Anything else is refused with a sentence and
counted. What carries both is the caller's: whatever `Ask` gives back is looked at.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from fbftl.exchange.post import Parts, Post, Receipt
from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import Encoded, digested_messages
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Delivery, Link

VERSION = 2
"""Of requests and answers; one of another version is refused."""


NOISE_OF_A_STUDY = "its noise is drawn from the study's generator, on which no deployment may rest"
"""Why a setting with noise is not deployed."""


@dataclass(frozen=True)
class Request:
    """What a server asks of clients.

    run: word that no other run of a federation has.
    request_number: of the request in the run, from 1.
    kind: what is asked: uploads, summary, scores, sums, update or weights.
    messages: what goes down with it, encoded, the same to every client.
    round_or_sum: number of the one or of the other, from 1; 0 for what has none.
    largest: samples of the client of the round that has most.
    """

    run: str
    request_number: int
    kind: str
    messages: tuple[bytes, ...] = ()
    round_or_sum: int = 0
    largest: int = 0
    version: int = VERSION


@dataclass(frozen=True)
class ClientAnswer:
    """What one client answers to a request.

    run, request_number, version: as its request has them.
    client: id of who answers.
    messages: encoded, in the order that the kind of request says.
    """

    run: str
    request_number: int
    client: int
    messages: tuple[bytes, ...]
    version: int = VERSION


Ask = Callable[[Request, Sequence[int]], Iterable[ClientAnswer]]
"""Sends a request to clients by their ids and yields what comes back, from whoever it is."""

Read = TypeVar("Read")

Reading = Callable[[int, tuple[bytes, ...]], Read]
"""From a client and its messages to what they say; raises a ValueError where they say nothing."""


@dataclass(frozen=True)
class Arrived(Generic[Read]):
    """An answer that was taken.

    client: id of who sent it.
    messages: as they came.
    content: what they say.
    """

    client: int
    messages: tuple[bytes, ...]
    content: Read


@dataclass
class Exchange:
    """A server's exchange with the clients of one run.

    run: word that no other run of a federation has.
    ask: what carries requests and answers.
    refused: a sentence for each answer that was not taken.
    """

    run: str
    ask: Ask
    refused: list[str] = field(default_factory=list)
    _request_number: int = 0

    def request(
        self,
        kind: str,
        clients: Sequence[int],
        reading: Reading[Read],
        messages: Sequence[bytes] = (),
        round_or_sum: int = 0,
        largest: int = 0,
    ) -> list[Arrived[Read]]:
        """Ask clients for something; return what arrived, in the order of their ids.

        Args:
            kind: what is asked.
            clients: ids of those that are asked.
            reading: gives what a client's messages say.
            messages: what goes down with the request.
            round_or_sum, largest: see `Request`.
        """
        self._request_number += 1
        request = Request(
            self.run, self._request_number, kind, tuple(messages), round_or_sum, largest
        )
        arrived: dict[int, Arrived[Read]] = {}
        for answer in self.ask(request, clients):
            fault = _fault(answer, request, clients, arrived)
            if fault is None:
                try:
                    content = reading(answer.client, answer.messages)
                    arrived[answer.client] = Arrived(answer.client, answer.messages, content)
                except ValueError as error:
                    fault = str(error)
            if fault is not None:
                self.refused.append(f"an answer of client {answer.client} is refused: {fault}")
        return [arrived[client] for client in sorted(arrived)]


def _fault(
    answer: ClientAnswer, request: Request, clients: Sequence[int], arrived: dict[int, Any]
) -> str | None:
    """Return why an answer is not taken, None if it is."""
    if answer.version != request.version:
        return f"it is of version {answer.version}, and this run is of {request.version}"
    if (answer.run, answer.request_number) != (request.run, request.request_number):
        return "it answers another request than the one that is open"
    if answer.client not in clients:
        return "the client was not asked"
    if answer.client in arrived:
        return "the client has answered before"
    return None


# --- the ledger ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ObservedLink(Link):
    """A setting's link, over which what a network did not bring is lost as well.

    came: (n,) which of the messages that are entered came.
    """

    came: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def send(self, bits: np.ndarray, rng: np.random.Generator) -> Delivery:
        """Draw what the link would lose, and lose what did not come."""
        delivery = super().send(bits, rng)
        return Delivery(delivery.blocks, delivery.attempts, delivery.arrives & self.came)


def enter(
    post: Post,
    parts: Parts,
    client: np.ndarray,
    messages: Sequence[bytes | None],
    round: int = 0,
    **columns: Any,
) -> Receipt:
    """Enter messages of clients into the ledger as a study does, those that did not come as lost.

    Args:
        post: of the run, with the setting's link.
        parts: what each holds, before compression.
        client: (n,) who sends each, or would have.
        messages: (n,) as they came; None for one that did not, whose length nobody knows.
        round: from 1; 0 for what is sent once.
        columns: see `Post.up`.
    """
    link = post.link
    came = np.array([message is not None for message in messages])
    made = digested_messages(message or b"" for message in messages)
    digests = [
        digest if here else None for digest, here in zip(made.digests, came.tolist(), strict=True)
    ]
    post.link = ObservedLink(link.channel, link.retransmissions, link.block_bits, came)
    try:
        return post.up(
            parts, client, round, content=Encoded(_lengths(parts, made.bits, came), digests),
            **columns,
        )  # fmt: skip
    finally:
        post.link = link


def _lengths(parts: Parts, bits: np.ndarray, came: np.ndarray) -> np.ndarray:
    """Return the bits of messages; one that did not come counts as long as a plain one."""
    plain = FLOAT_BITS * sum(np.asarray(floats) for floats in parts.values()) + 8 * HEADER_BYTES
    return np.where(came, bits, plain).astype(np.int64)


# --- what came of it ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Served:
    """What a server has in the end.

    models: SHA-256 of the model at each point of its curves, as a study's `models` has them.
    accuracy: test accuracy at the chosen point.
    ledger: every message that was sent or asked for.
    """

    models: list[str]
    accuracy: float
    ledger: Ledger

    @classmethod
    def of(cls, record: Mapping[str, Any], ledger: Ledger) -> "Served":
        """Return it from what a score records."""
        return cls(record["models"], record["test_accuracy"], ledger)
