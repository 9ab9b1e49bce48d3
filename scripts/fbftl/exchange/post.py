"""The one door for messages: it counts bits, draws the loss, records the row, returns what arrived.

Clients send `up` to the server, over a link that may lose messages. The server sends to all of
them (`broadcast`), to some (`down`) or to those whose message arrived (`answer`). Two servers, or
two clients, are joined by `between`. What clients send may be lost and nothing else, as in the
paper.

What a message holds is told by `parts`: the number of floats of each part, by its name
(`fbftl.messages.ledger.PARTS`). A message may hold several, and travels as a whole. The uplink
counts q bits for each of the r floats that are kept, the rest of the way d = 32 for every one.
Numbers of a ring (`exchange/secure_sum.py`) are some part of a float, so that a count of floats
need not be whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.floats import as_written
from fbftl.ground.randomness import stream
from fbftl.messages.channel import Link
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import Encoded, EncodedRows, encode_rows
from fbftl.messages.ledger import BROADCAST, Ledger, privacy_columns
from fbftl.privacy.mechanisms import PrivacyRecord

Parts = Mapping[str, int | float | np.ndarray]
"""Floats of each part of a message, by name: one number for all messages or (n,)."""

Payload = Mapping[str, int | np.ndarray]
"""Bits of each part of a message, by name: one number for all messages or (n,)."""


@dataclass(frozen=True, eq=False)
class Receipt:
    """What became of n messages of clients.

    client: (n,) who sent each.
    round: the round they belong to, or (n,) the round of each.
    arrives: (n,) which of them arrive.
    values: (n, X) what they say, where values were sent; None where they are counted only.
    """

    client: np.ndarray
    round: int | np.ndarray
    arrives: np.ndarray
    values: np.ndarray | None = None

    @property
    def arrived(self) -> np.ndarray:
        """What the receiver reads, (arrivals, X); without a copy where nothing is lost.

        Raises:
            ValueError: if the messages are counted only.
        """
        values = required(self.values)
        return values if self.arrives.all() else values[self.arrives]

    def of(self, rows: np.ndarray) -> "Receipt":
        """Return what became of some of the messages."""
        values = None if self.values is None else self.values[rows]
        return Receipt(self.client[rows], self.round, self.arrives[rows], values)


@dataclass(frozen=True)
class _Totals:
    """Bits of messages that were entered together.

    payload: what the paper counts.
    sent: all that was sent.
    text: of the text itself, where the messages know.
    """

    payload: int
    sent: int
    text: int | None


@dataclass
class Post:
    """One repetition's messages.

    ledger: where they are entered.
    link: what the uplink does to them.
    seed: the repetition's seed.
    guarantee: the mechanism's, which every upload is entered with.
    compression: q and r of the uploads.
    """

    ledger: Ledger
    link: Link
    seed: int
    guarantee: PrivacyRecord
    compression: Compression = PLAIN
    _privacy: dict[str, Any] = field(init=False, repr=False)
    _arrived: set[int] = field(default_factory=set, repr=False)
    _entered: list[tuple[str, Any, _Totals]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._losses = stream(self.seed, "loss")
        self._privacy = privacy_columns(self.guarantee)

    def up(
        self,
        parts: Parts,
        client: np.ndarray,
        round: int | np.ndarray = 0,
        *,
        sample: np.ndarray | None = None,
        content: np.ndarray | EncodedRows | Encoded | None = None,
        offered: np.ndarray | None = None,
        receiver: str = "server",
        beside: int | np.ndarray = 0,
        compression: Compression | None = None,
        **columns: Any,
    ) -> Receipt:
        """Send one message of each client, each in a packet of its own.

        Args:
            parts: what each holds, before compression.
            client: (n,) who sends each.
            round: from 1; 0 for what is sent once; (n,) where messages of several rounds that lose
                nothing are entered together.
            sample: (n,) whose it is, where a message is one sample's.
            content: values (n, X) to be encoded, or messages that were made already; None where
                they are counted only.
            offered: (m,) which of the n are sent, all if None. The losses of all n are drawn, so
                that what becomes of a message does not hang on who else takes part.
            receiver: the party that they go to.
            beside: bits of counted messages beside their floats, such as positions, which the
                papers do not count; one number for all or (n,).
            compression: q and r of these messages; None for those of the post.
            columns: further columns of the ledger, one value for all or (n,).

        Raises:
            NotFiniteError: if values are not finite.
            ValueError: if a plain message is shorter than what it holds, a bug of the method.
        """
        compression = compression or self.compression
        encoded = encode_rows(content, compression) if isinstance(content, np.ndarray) else content
        payload = _payload(parts, compression)
        bits = _plain_bits(payload) + beside if encoded is None else encoded.bits
        delivery = self.link.send(np.full(len(client), bits), self._losses)
        described = {
            "client": client,
            "sample": sample,
            "packets": delivery.blocks,
            "attempts": delivery.attempts,
            "lost": ~delivery.arrives,
            "sha256": None if encoded is None else encoded.digests,
            "encoded": "counted" if encoded is None else encoded.how_known,
            **columns,
        }
        receipt = Receipt(client, round, delivery.arrives, getattr(encoded, "values", None))
        if offered is not None:
            described = {name: _taken(values, offered) for name, values in described.items()}
            payload = {part: _taken(values, offered) for part, values in payload.items()}
            bits, receipt = _taken(bits, offered), receipt.of(offered)
        if compression == PLAIN:
            _require_room(payload, bits)
        self._arrived.update(receipt.client[receipt.arrives].tolist())
        self._enter(
            len(receipt.client),
            payload,
            bits,
            direction="up",
            sender="client",
            receiver=receiver,
            round=round,
            **described,
            **self._privacy,
        )
        return receipt

    def broadcast(self, parts: Parts, round: int | np.ndarray = 0, sender: str = "server") -> None:
        """Send one message that all clients of a round hear; or one each of several rounds (m,)."""
        self._down(np.size(round), parts, sender, round, BROADCAST)

    def deploy(self, floats: int) -> None:
        """Send all clients the frozen part of the network once; `totals` tells it apart."""
        self.broadcast({"weights": floats})
        _, round, bits = self._entered.pop()
        self._entered.append(("deployed", round, bits))

    def down(
        self,
        parts: Parts,
        client: np.ndarray,
        round: int | np.ndarray = 0,
        sender: str = "server",
        beside: int | np.ndarray = 0,
    ) -> None:
        """Send a message to each of some clients (n,); `beside` is as in `up`."""
        self._down(len(client), parts, sender, round, client, beside)

    def answer(
        self, parts: Parts, receipt: Receipt, sender: str = "server", beside: int | np.ndarray = 0
    ) -> None:
        """Send a message to each client whose own arrived; what it holds is one for all or (n,)."""
        arrived = np.flatnonzero(receipt.arrives)
        answered_parts = {part: _taken(floats, arrived) for part, floats in parts.items()}
        to = receipt.client[arrived]
        self.down(answered_parts, to, receipt.round, sender, _taken(beside, arrived))

    def between(
        self,
        parts: Parts,
        sender: str,
        receiver: str,
        round: int | np.ndarray = 0,
        client: np.ndarray | None = None,
    ) -> bool:
        """Send a message from one server to another, or from each of some clients to another one.

        Clients send over their link, which may lose messages.

        Args:
            parts: what each holds.
            sender: the party that sends.
            receiver: the party that it goes to.
            round: of the message, or (m,) for one in each of several.
            client: (n,) who sends each, where clients do.

        Returns:
            Whether all of them arrive.
        """
        count = np.size(round) if client is None else len(client)
        columns: dict[str, Any] = {"sender": sender, "receiver": receiver, "lost": False}
        if sender == "client":
            bits = np.broadcast_to(_plain_bits(_payload(parts, PLAIN)), count)
            delivery = self.link.send(bits, self._losses)
            self._arrived.update(np.asarray(client)[delivery.arrives].tolist())
            columns |= {"packets": delivery.blocks, "attempts": delivery.attempts}
            columns["lost"] = ~delivery.arrives
        self._plain(count, parts, direction="between", round=round, client=client, **columns)
        return not np.any(columns["lost"])

    def arrived(self, client: np.ndarray) -> np.ndarray:
        """Return of whom any message has arrived so far, as booleans like `client` (n,)."""
        return np.isin(client, np.fromiter(self._arrived, dtype=np.int64))

    def totals(self, rounds: range) -> dict[str, int | None]:
        """Return the bits of all messages of some rounds, up and down.

        `uplink_payload_bits` is what the paper counts, `uplink_bits` and `downlink_bits` what was
        sent, without the frozen part of the network, which is `frozen_bits`; `token_id_bits` what
        the text itself would have taken, where the messages know.
        """
        within = [
            (way, bits)
            for way, round, bits in self._entered
            if rounds.start <= np.min(round) and np.max(round) < rounds.stop
        ]
        up = [bits for way, bits in within if way == "up"]
        texts = [bits.text for bits in up if bits.text is not None]
        return {
            "uplink_payload_bits": sum(bits.payload for bits in up),
            "uplink_bits": sum(bits.sent for bits in up),
            "downlink_bits": sum(bits.sent for way, bits in within if way == "down"),
            "frozen_bits": sum(bits.sent for way, bits in within if way == "deployed"),
            "token_id_bits": sum(texts) if texts else None,
        }

    def _down(
        self, count: int, parts: Parts, sender: str, round: int | np.ndarray,
        client: int | np.ndarray, beside: int | np.ndarray = 0,
    ) -> None:  # fmt: skip
        """Enter messages to clients, which nothing loses."""
        where = {"direction": "down", "sender": sender, "receiver": "client", "lost": False}
        self._plain(count, parts, beside, round=round, client=client, **where)

    def _plain(
        self, count: int, parts: Parts, beside: int | np.ndarray = 0, **columns: Any
    ) -> None:
        """Enter messages that are not compressed and counted only."""
        payload = _payload(parts, PLAIN)
        self._enter(count, payload, _plain_bits(payload) + beside, encoded="counted", **columns)

    def _enter(self, count: int, payload: Payload, bits: int | np.ndarray, **columns: Any) -> None:
        """Enter messages: a row for the first part of each, with all that is no other part's."""
        if not count:
            return
        text = columns.get("token_id_bits")
        totals = _Totals(
            payload=sum(_sum(of_part, count) for of_part in payload.values()),
            sent=_sum(bits, count),
            text=None if text is None else _sum(text, count),
        )
        self._entered.append((columns["direction"], columns["round"], totals))
        first, *others = payload
        rest = bits - sum(payload[part] for part in others)
        common = {"seed": self.seed, **columns}
        self.ledger.add(count, part=first, payload_bits=payload[first], bits=rest, **common)
        common |= dict.fromkeys(("packets", "attempts", "lost", "sha256"))
        for part in others:
            of_part = payload[part]
            self.ledger.add(count, part=part, payload_bits=of_part, bits=of_part, **common)


def _payload(parts: Parts, compression: Compression) -> Payload:
    """Return the bits ⌈r·q·X⌉ of every part of X floats, as the paper counts, r a decimal."""
    kept = compression.bits * as_written(compression.keep)
    payload: dict[str, int | np.ndarray] = {}
    for part, floats in parts.items():
        if isinstance(floats, np.ndarray):
            distinct, which = np.unique(floats, return_inverse=True)
            payload[part] = np.array([ceil(kept * int(n)) for n in distinct], dtype=np.int64)[which]
        else:
            payload[part] = ceil(kept * floats)
    return payload


def _require_room(payload: Payload, bits: int | np.ndarray) -> None:
    """Refuse plain messages that are shorter than the floats of their parts."""
    short = np.asarray(bits) < sum(payload.values())
    if short.any():
        raise ValueError(
            f"a message of {' and '.join(payload)} holds more bits than it is long: what was "
            "encoded lacks a part"
        )


def _plain_bits(payload: Payload) -> int | np.ndarray:
    """Return the length of plain messages with such parts: all of them under one header."""
    return sum(payload.values()) + 8 * HEADER_BYTES


def _sum(values: int | np.ndarray, count: int) -> int:
    """Return the sum over `count` messages of one value for all or (count,)."""
    return int(np.broadcast_to(values, count).sum())


def _taken(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of a column; what is one for all stays so."""
    if isinstance(values, list):
        return [values[row] for row in rows]
    return values[rows] if np.ndim(values) else values
