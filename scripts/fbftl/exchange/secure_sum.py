"""Secure sums through the post: clients send masked messages, and the server learns the sum alone.

What a client says becomes fixed point, is masked (`privacy/masking.py` has the arithmetic), and
goes up as w bits a number, as many as the ring has that holds the sum (`ground/ring.py`). Then
whoever can take masks off, a dealer or a committee (`exchange/unmasking.py`), tells the server the
sum of the masks of those whose messages arrived. A sum of fewer than two is refused, and the server
learns nothing.

Every sum of one repetition has a number of its own, so that no key stream is used twice in it. In
a study a dealer's keys are drawn from the seed, so that settings of one seed repeat them; only
deployments draw keys from the system.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from fbftl.exchange.committee import CommitteeMasks
from fbftl.exchange.post import Post, Receipt
from fbftl.exchange.sum_noise import SumNoise
from fbftl.exchange.unmasking import DealerMasks, Unmasker
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import WORD_BITS, Ring
from fbftl.messages.codec.bitpack import pack
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import Encoded
from fbftl.privacy.masking import (
    WORD,
    Dealer,
    fixed_point,
    reach,
    reduced,
    require_room,
    steps_of,
)
from fbftl.study.job import Job
from fbftl.training.measures import Measure

RING_MEASURES = {
    "ring_bits": Measure("bits", "lower"),
    "largest_sum": Measure("numbers"),
}
"""What a masked run measures: bits of a number in its ring, and the bound on a sum that they follow
from, which is none where a number takes a whole word; `Ring.record` has both."""

NUMBERS_AT_ONCE = 2**16
"""Numbers that are packed together, a multiple of eight: bit by bit they take 64 bytes each."""


class ClientVectors(Protocol):
    """A vector (X,) of each client by its place: an array (n, X), or made where it is asked for."""

    def __getitem__(self, position: int, /) -> np.ndarray:
        """Return one client's."""


@dataclass(frozen=True, eq=False)
class Summed:
    """What became of one sum.

    total: (X,) float64, exact in fixed point; None where no sum is told, as of fewer than two.
    receipt: what became of the messages; the values of none are known.
    withheld: why there is no sum, in a sentence; None where there is one.
    """

    total: np.ndarray | None
    receipt: Receipt
    withheld: str | None = None


@dataclass
class SecureSum:
    """One repetition's secure sums, all with the same dealer or committee.

    post: through which everything goes; it compresses nothing.
    ring: that holds the sums.
    unmasker: who takes the masks off; a dealer of the repetition if None.
    """

    post: Post
    ring: Ring = WORD
    unmasker: Unmasker | None = None
    _sum_number: int = 0

    def __post_init__(self) -> None:
        self._by = self.unmasker or DealerMasks(Dealer.of_study(self.post.seed))

    @property
    def record(self) -> dict[str, Any]:
        """What a run file says of the sums so far."""
        return self.ring.record | self._by.record

    def of(
        self,
        values: ClientVectors,
        client: np.ndarray,
        round: int = 0,
        *,
        part: str = "update",
        offered: np.ndarray | None = None,
        noise: SumNoise | None = None,
        masked_count: int | None = None,
        known: ClientVectors | None = None,
        **columns: Any,
    ) -> Summed:
        """Sum what clients say without showing what any of them says.

        Args:
            values: (X,) of each of n clients.
            client: (n,) who sends each; a client once.
            round: from 1; 0 for what is sent once.
            part: what the messages hold.
            offered: (m,) which of the n are sent, all if None; see `Post.up`.
            noise: what the sum has beside the messages, so that the server never sees it without:
                the dealer takes it from the masks' sum, or clients add shares of it.
            masked_count: messages that are really made, from the front; all if None. The others are
                counted by their length and enter the sum as they are, which is the same sum.
            known: (X,) of each client, which the server knows as well. Its fixed point is taken
                from what the client says before it is masked and added to the sum again, so that
                the ring need hold the difference alone, and the sum is the same to the last step.
            columns: further columns of the ledger, one value for all or (n,).

        Raises:
            UserError: if a value is not finite, or the sum could leave the ring.
        """
        self._sum_number += 1
        client = np.asarray(client)
        sent = np.arange(len(client)) if offered is None else offered
        self._by.hand_out(self.post, client[sent])
        made = set(sent[:masked_count].tolist())
        messages = _Messages(values, known, client, made, self._sum_number, self.ring, self._by)
        if noise is not None and self._by.noise_by_clients:
            messages.shared, messages.planned = noise, np.sort(sent)
        digests: list[bytes | None] = [None] * len(client)
        total, largest = np.zeros(0, dtype=np.uint64), 0
        for position in sent.tolist():
            message = messages[position]
            total = total + message if len(total) else message
            largest += messages.reach
            if position in made:
                digest = sha256(travelling(message, self.ring))
                digest.update(self._by.enclosed(int(client[position]), self._sum_number))
                digests[position] = digest.digest()
        require_room(largest, self.ring, len(sent))
        receipt = self._send(part, len(total), client, round, sent, digests, columns)
        arrived = sent[receipt.arrives]
        masked = [int(client[position]) for position in arrived.tolist() if position in made]
        unmasked = self._by.unmask(
            self.post, receipt, masked, self._sum_number, len(total), self.ring
        )
        if unmasked.masks is None:
            return Summed(None, receipt, unmasked.withheld)
        for position in sent[~receipt.arrives].tolist():
            total -= messages[position]
            largest -= messages.reach
        total -= unmasked.masks
        if noise is not None and not self._by.noise_by_clients:
            noise_steps = fixed_point(noise.whole(np.sort(arrived), len(total)), self.ring)
            require_room(largest + reach(noise_steps), self.ring, len(arrived) + 1)
            total += reduced(noise_steps, self.ring)
        steps = steps_of(total, self.ring)
        if known is not None:
            self._add(known, arrived, steps, largest)
        return Summed(steps / 2.0**self.ring.fraction_bits, receipt)

    def _add(
        self, known: ClientVectors, arrived: np.ndarray, steps: np.ndarray, largest: int
    ) -> None:
        """Add what the server knows of those who arrived to the sum of the rest, in place."""
        word = Ring(fraction_bits=self.ring.fraction_bits)
        for position in arrived.tolist():
            known_steps = fixed_point(known[position], word)
            largest += reach(known_steps)
            require_room(largest, word, len(arrived))
            steps += known_steps

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
        parts = {part: self.ring.floats(count), **self._by.beside}
        beside = int(FLOAT_BYTES * sum(self._by.beside.values()))
        length = HEADER_BYTES + self.ring.message_bytes(count) + beside
        bits = np.full(len(client), 8 * length)
        encoded = Encoded(bits, digests)
        return self.post.up(parts, client, round, content=encoded, offered=sent, **columns)


def secure_sum(job: Job, post: Post, ring: Ring) -> SecureSum:
    """Return the secure sums of one repetition, by a dealer or by a committee as its setting says.

    Args:
        job: the setting with its training values.
        post: of the repetition.
        ring: that holds the sums.
    """
    if job.setting.aggregation == "committee":
        return SecureSum(post, ring, CommitteeMasks.of_job(job, post.seed))
    return SecureSum(post, ring)


def travelling(numbers: np.ndarray, ring: Ring) -> bytes | memoryview:
    """Return numbers of the ring (count,) as they are sent: w bits each without gaps."""
    if ring.bits == WORD_BITS:
        return numbers.data
    chunks = (
        numbers[first : first + NUMBERS_AT_ONCE]
        for first in range(0, len(numbers), NUMBERS_AT_ONCE)
    )
    return b"".join(pack(chunk[None], ring.bits).tobytes() for chunk in chunks)


class _Messages:
    """Messages by place, each made anew when it is asked for: all of them need not fit memory.

    values: what each client says.
    known: what of it the server knows; None for nothing.
    client: who sends each.
    made: places of those that are really masked.
    ring: that they are in.
    by: who masks.
    shared: noise of which each adds a share, one of those `planned`; None for none.
    reach: largest size in steps of the last message's numbers, before they are masked.
    """

    def __init__(
        self,
        values: ClientVectors,
        known: ClientVectors | None,
        client: np.ndarray,
        made: set[int],
        sum_number: int,
        ring: Ring,
        by: Unmasker,
    ) -> None:
        self._values, self._known, self._client, self._made = values, known, client, made
        self._sum_number, self._ring, self._by = sum_number, ring, by
        self.shared: SumNoise | None = None
        self.planned = np.zeros(0, dtype=np.int64)
        self.reach = 0

    def __getitem__(self, position: int) -> np.ndarray:
        steps = fixed_point(self._values[position], self._ring)
        if self._known is not None:
            steps -= fixed_point(self._known[position], self._ring)
        if self.shared is not None:
            steps += self.shared.share(position, self.planned, len(steps), self._ring)
        self.reach = reach(steps)
        require_room(self.reach, self._ring, 1)
        numbers = reduced(steps, self._ring)
        if position not in self._made:
            return numbers
        client = int(self._client[position])
        key_stream = self._by.mask(client, self._sum_number, len(numbers), self._ring)
        return reduced(numbers + key_stream, self._ring)
