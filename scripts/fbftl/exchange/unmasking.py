"""Who takes the masks off a sum, as `exchange/secure_sum.py` asks: a dealer, or a committee.

Both hand out keys, have each client mask its numbers, and give the server the sum of the masks of
those whose messages arrived; every message on the way is entered. The dealer is here, the committee
in `exchange/committee.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from fbftl.exchange.post import Post, Receipt
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import Ring
from fbftl.privacy.masking import KEY_BYTES, LEAST_SUMMED, Dealer, mask, reduced


@dataclass(frozen=True, eq=False)
class Unmasked:
    """What the server is told of the masks of a sum.

    masks: (count,) their sum in the ring; None where it is withheld.
    withheld: why, in a sentence; None where it is told.
    """

    masks: np.ndarray | None
    withheld: str | None = None


class Unmasker(Protocol):
    """Who takes the masks off one repetition's sums."""

    @property
    def noise_by_clients(self) -> bool:
        """Whether clients add shares of a sum's noise; else whoever unmasks it adds all."""

    @property
    def beside(self) -> Mapping[str, float]:
        """Floats of a client's message beside its numbers, by part."""

    @property
    def record(self) -> dict[str, Any]:
        """What a run file says of it."""

    def hand_out(self, post: Post, client: np.ndarray) -> None:
        """Give clients (n,) what they need before they mask."""

    def mask(self, client: int, sum_number: int, count: int, ring: Ring) -> np.ndarray:
        """Return a client's mask in the sum `sum_number`, (count,) uint64 below 2^w."""

    def enclosed(self, client: int, sum_number: int) -> bytes:
        """Return what travels in a client's message beside its numbers."""

    def unmask(
        self,
        post: Post,
        receipt: Receipt,
        made: Sequence[int],
        sum_number: int,
        count: int,
        ring: Ring,
    ) -> Unmasked:
        """Tell the sum of the masks of those whose messages arrived.

        Args:
            post: through which everything goes.
            receipt: what became of the messages that were sent.
            made: clients whose arrived messages were really masked; the others' masks are zero.
            sum_number: which sum it is.
            count: numbers in a message.
            ring: that they are in.
        """


@dataclass
class DealerMasks:
    """A dealer, which shares a key with every client.

    dealer: it knows every mask.
    """

    dealer: Dealer
    _keyed: set[int] = field(default_factory=set)

    noise_by_clients = False
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, Any]:
        """Nothing: whoever masks without a committee has a dealer."""
        return {}

    def hand_out(self, post: Post, client: np.ndarray) -> None:
        """Send a key to each client that has none."""
        new = np.array(
            [number for number in client.tolist() if number not in self._keyed], dtype=int
        )
        post.down({"share": KEY_BYTES // FLOAT_BYTES}, new, sender="dealer")
        self._keyed.update(new.tolist())

    def mask(self, client: int, sum_number: int, count: int, ring: Ring) -> np.ndarray:
        """Return the key stream of the key that a client shares with the dealer."""
        return mask(self.dealer.key(client), sum_number, count, ring)

    def enclosed(self, client: int, sum_number: int) -> bytes:
        """Return nothing: the dealer needs nothing of a message."""
        return b""

    def unmask(
        self,
        post: Post,
        receipt: Receipt,
        made: Sequence[int],
        sum_number: int,
        count: int,
        ring: Ring,
    ) -> Unmasked:
        """Tell the dealer who arrived, an id of 32 bits each, and be told the sum of the masks."""
        arrived = int(receipt.arrives.sum())
        if not len(receipt.client):  # nobody was asked, so there is nothing to tell
            return Unmasked(None, too_few(arrived, LEAST_SUMMED))
        post.between({"mask": arrived}, "server", "dealer", receipt.round)
        if arrived < LEAST_SUMMED:
            return Unmasked(None, too_few(arrived, LEAST_SUMMED))
        post.between({"mask": ring.floats(count)}, "dealer", "server", receipt.round)
        if len(made) >= LEAST_SUMMED:
            return Unmasked(self.dealer.sum_of_masks(made, sum_number, count, ring))
        return Unmasked(sum_of(self, made, sum_number, count, ring))


def sum_of(
    unmasker: Unmasker, clients: Sequence[int], sum_number: int, count: int, ring: Ring
) -> np.ndarray:
    """Return the sum of the masks of clients, of whom only some of many were really masked.

    So few are never a set that arrived, but those of it that were really made.
    """
    masks = (unmasker.mask(client, sum_number, count, ring) for client in clients)
    return reduced(sum(masks, np.zeros(count, dtype=np.uint64)), ring)


def too_few(arrived: int, least: int) -> str:
    """Return why there is no sum of so few messages."""
    messages = "message" if arrived == 1 else "messages"
    return f"{arrived} {messages} arrived, and no sum is told of fewer than {least}"
