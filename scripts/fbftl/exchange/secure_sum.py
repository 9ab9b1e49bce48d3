"""Secure sums through the post: clients send masked messages, and the server learns the sum alone.

What a client says becomes fixed point, is masked with the key stream that it shares with the dealer
(`privacy/masking.py` has the arithmetic, and who could undo it together), and goes up as 64 bits a
number. The server asks the dealer for the sum of the masks of those whose messages arrived. A sum
of fewer than two is refused, and the server learns nothing.

Every sum of one repetition has a turn of its own, so that no key stream is used twice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from fbftl.exchange.post import Post, Receipt
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.release import Encoded
from fbftl.privacy.masking import (
    KEY_BYTES,
    NUMBER_BYTES,
    Dealer,
    from_ring,
    mask,
    masked,
    require_room,
    to_ring,
)
from fbftl.privacy.statistics import statistics_noise
from fbftl.study.job import Job
from fbftl.study.release import noise_seed

FLOATS_PER_NUMBER = 2
"""What a number of the ring takes, in floats of 32 bits."""

SumNoise = Callable[[np.ndarray, int], np.ndarray]
"""From the places of those whose messages arrived, ascending, and X, to the noise (X,) on the sum.
"""


def noise_on_sums(
    job: Job,
    seed: int,
    std: float | None,
    owner: np.ndarray,
    dealt: tuple[np.ndarray, np.ndarray],
) -> SumNoise | None:
    """Return the noise on a sum, which is that of the clients whose messages it sums.

    Args:
        job: the setting with its training values.
        seed: the repetition's seed.
        std: standard deviation of the noise; None for no noise.
        owner: (U,) ids of the clients by their places.
        dealt: (n,) client and number of each sample.
    """
    if not std:
        return None

    def noise(places: np.ndarray, count: int) -> np.ndarray:
        return statistics_noise(std, count, noise_seed(job, seed, owner[places], *dealt))

    return noise


@dataclass(frozen=True, eq=False)
class Summed:
    """What became of one sum.

    total: (X,) float64, exact in fixed point; None where fewer than two messages arrived.
    receipt: what became of the messages; the values of none are known.
    """

    total: np.ndarray | None
    receipt: Receipt


@dataclass
class SecureSum:
    """One repetition's secure sums, all with the same dealer.

    post: through which everything goes; it compresses nothing.
    """

    post: Post
    _turn: int = 0
    _keyed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._dealer = Dealer.of_study(self.post.seed)

    def of(
        self,
        values: Sequence[np.ndarray],
        client: np.ndarray,
        round: int = 0,
        *,
        part: str = "update",
        offered: np.ndarray | None = None,
        noise: SumNoise | None = None,
        made: int | None = None,
        **columns: Any,
    ) -> Summed:
        """Sum what clients say without showing what any of them says.

        Args:
            values: (X,) of each of n clients, as an array (n, X) or made where it is asked for.
            client: (n,) who sends each; a client once.
            round: from 1; 0 for what is sent once.
            part: what the messages hold.
            offered: (m,) which of the n are sent, all if None; see `Post.up`.
            noise: what the dealer takes from the masks' sum, so that the server sees the sum with
                it and never without.
            made: messages that are really made, from the front; all if None. The others are
                counted by their length and enter the sum as they are, which is the same sum.
            columns: further columns of the ledger, one value for all or (n,).

        Raises:
            UserError: if a value is not finite, or the sum could leave the ring.
        """
        self._turn += 1
        client = np.asarray(client)
        sent = np.arange(len(client)) if offered is None else offered
        self._hand_out_keys(client[sent])
        keys = {place: self._dealer.key(int(client[place])) for place in sent[:made].tolist()}
        messages = _Messages(values, keys, self._turn)
        digests = [None] * len(client)
        total, largest = np.zeros(0, dtype=np.uint64), 0.0
        for place in sent.tolist():
            message = messages[place]
            total = total + message if len(total) else message
            largest = max(largest, messages.largest)
            if place in keys:
                digests[place] = sha256(message).digest()
        require_room(largest, len(sent))
        receipt = self._send(part, len(total), client, round, sent, digests, columns)
        self._ask(receipt, len(total))
        if receipt.arrives.sum() < 2:
            return Summed(None, receipt)
        for place in sent[~receipt.arrives].tolist():
            total -= messages[place]
        arrived = [place for place in sent[receipt.arrives].tolist() if place in keys]
        total -= self._masks(client[arrived], len(total))
        if noise is not None:
            total += to_ring(noise(np.sort(sent[receipt.arrives]), len(total)))
        return Summed(from_ring(total), receipt)

    def _hand_out_keys(self, client: np.ndarray) -> None:
        new = np.array([own for own in client.tolist() if own not in self._keyed], dtype=int)
        self.post.down({"share": KEY_BYTES // 4}, new, sender="dealer")
        self._keyed.update(new.tolist())

    def _masks(self, clients: np.ndarray, count: int) -> np.ndarray:
        if len(clients) > 1:
            return self._dealer.sum_of_masks(clients.tolist(), self._turn, count)
        # So few are never a set that arrived, but those of it that were really made.
        masks = (mask(self._dealer.key(int(own)), self._turn, count) for own in clients)
        return sum(masks, np.zeros(count, dtype=np.uint64))

    def _send(
        self,
        part: str,
        count: int,
        client: np.ndarray,
        round: int,
        sent: np.ndarray,
        digests: list[bytes | None],
        columns: dict[str, Any],
    ) -> Receipt:
        parts = {part: FLOATS_PER_NUMBER * count}
        bits = np.full(len(client), 8 * (HEADER_BYTES + NUMBER_BYTES * count))
        made = Encoded(bits, digests)
        return self.post.up(parts, client, round, content=made, offered=sent, **columns)

    def _ask(self, receipt: Receipt, count: int) -> None:
        """Tell the dealer who arrived, an id of 32 bits each, and be told the sum of the masks."""
        arrived = int(receipt.arrives.sum())
        self.post.between({"mask": arrived}, "server", "dealer", receipt.round)
        if arrived > 1:
            masks = {"mask": FLOATS_PER_NUMBER * count}
            self.post.between(masks, "dealer", "server", receipt.round)


class _Messages:
    """Messages by place, each made anew when it is asked for: all of them need not fit memory.

    values: what each client says.
    keys: of those whose messages are really masked, by place.
    """

    def __init__(self, values: Sequence[np.ndarray], keys: dict[int, bytes], turn: int) -> None:
        self._values, self._keys, self._turn = values, keys, turn
        self.largest = 0.0

    def __getitem__(self, place: int) -> np.ndarray:
        said = np.asarray(self._values[place], dtype=np.float64)
        self.largest = float(np.abs(said).max(initial=0.0))
        if place in self._keys:
            return masked(said, self._keys[place], self._turn)
        return to_ring(said)
