"""A model of secure aggregation with a trusted dealer: the server learns the sum of messages alone.

What a client says becomes fixed point, is masked (`privacy/masking.py` has the arithmetic), and
goes up as w bits a number, as many as the ring has that holds the sum (`ground/ring.py`). Then the
dealer, which shares a key with every client and is trusted not to collude with the server, tells it
the sum of the masks of those whose messages arrived. A sum of fewer than two is refused, and the
server learns nothing. It is a model, not a protocol: no party checks what another one says.

Every sum of one repetition has a number of its own, so that no key stream is used twice in it. In
a study the dealer's keys are drawn from the seed, so that settings of one seed repeat them; only
deployments draw keys from the system. Gaussian noise on a sum is added by the dealer, keyed by
whose messages the sum holds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from fbftl.exchange.post import Post, Receipt
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import WORD_BITS, Ring
from fbftl.messages.codec.bitpack import pack
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import Encoded
from fbftl.privacy.masking import (
    KEY_BYTES,
    LEAST_SUMMED,
    WORD,
    Dealer,
    fixed_point,
    mask,
    reach,
    reduced,
    require_room,
    steps_of,
)
from fbftl.privacy.release import noise_seed
from fbftl.privacy.statistics import statistics_noise
from fbftl.study.job import Job
from fbftl.training.curves import Measure

RING_MEASURES = {"ring_bits": Measure("bits", "lower"), "largest_sum": Measure("numbers")}
"""What a masked run measures: bits of a number in its ring, and the bound on a sum that they follow
from, which is none where a number takes a whole word; `Ring.record` has both."""

NUMBERS_AT_ONCE = 2**16
"""Numbers that are packed together, a multiple of eight: bit by bit they take 64 bytes each."""


VectorOf = Callable[[int], np.ndarray]
"""From a client's place to its vector (X,), made where it is asked for: all need not fit memory."""


@dataclass(frozen=True, eq=False)
class Summed:
    """What became of one sum.

    total: (X,) float64, exact in fixed point; None of fewer than two messages.
    receipt: what became of the messages; the values of none are known.
    """

    total: np.ndarray | None
    receipt: Receipt


@dataclass(frozen=True)
class GaussianOnSums:
    """Gaussian noise of one standard deviation.

    std: of the noise on every number of a sum.
    seed_of: from the positions of clients to the seed of the noise on their sum.
    """

    std: float
    seed_of: Callable[[np.ndarray], int]

    def of(self, arrived: np.ndarray, count: int) -> np.ndarray:
        """Return the noise (count,), float64, on the sum of the clients at ascending positions."""
        return statistics_noise(self.std, count, self.seed_of(arrived))


def noise_on_sums(
    job: Job,
    seed: int,
    std: float | None,
    owner: np.ndarray,
    partition: tuple[np.ndarray, np.ndarray],
) -> GaussianOnSums | None:
    """Return the noise on sums, each of which has its own by the clients that it is of.

    Args:
        job: the setting with its training values.
        seed: the repetition's seed.
        std: standard deviation of the noise; None for no noise.
        owner: (U,) ids of the clients by their positions.
        partition: (n,) client and number of each sample.
    """
    if not std:
        return None
    return GaussianOnSums(std, lambda places: noise_seed(job, seed, owner[places], *partition))


@dataclass
class SecureSum:
    """One repetition's secure sums, all with the same dealer.

    post: through which everything goes; it compresses nothing.
    ring: that holds the sums.
    """

    post: Post
    ring: Ring = WORD
    _sum_number: int = 0
    _keyed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._dealer = Dealer.of_study(self.post.seed)

    def of(
        self,
        values: VectorOf,
        client: np.ndarray,
        round: int = 0,
        *,
        part: str = "update",
        offered: np.ndarray | None = None,
        noise: GaussianOnSums | None = None,
        masked_count: int | None = None,
        known: VectorOf | None = None,
    ) -> Summed:
        """Sum what clients say without showing what any of them says.

        Args:
            values: (X,) of each of n clients.
            client: (n,) who sends each; a client once.
            round: from 1; 0 for what is sent once.
            part: what the messages hold.
            offered: (m,) which of the n are sent, all if None; see `Post.up`.
            noise: that the dealer takes off the masks' sum, so that the server never sees a sum
                without it.
            masked_count: messages that are really made, from the front; all if None. The others are
                counted by their length and enter the sum as they are, which is the same sum.
            known: (X,) of each client, which the server knows as well. Its fixed point is taken
                from what the client says before it is masked and added to the sum again, so that
                the ring need hold the difference alone, and the sum is the same to the last step.

        Raises:
            UserError: if a value is not finite, or the sum could leave the ring.
        """
        self._sum_number += 1
        client = np.asarray(client)
        sent = np.arange(len(client)) if offered is None else offered
        self._hand_out_keys(client[sent])
        keys = {at: self._dealer.key(int(client[at])) for at in sent[:masked_count].tolist()}
        digests: list[bytes | None] = [None] * len(client)
        total, largest = np.zeros(0, dtype=np.uint64), 0
        for position in sent.tolist():
            message, size = self._message(values, known, position, keys.get(position))
            total = total + message if len(total) else message
            largest += size
            if position in keys:
                digests[position] = sha256(travelling(message, self.ring)).digest()
        require_room(largest, self.ring, len(sent))
        receipt = self._send(part, len(total), client, round, sent, digests)
        arrived = sent[receipt.arrives]
        if not self._dealer_tells(receipt, len(total)):
            return Summed(None, receipt)
        for position in sent[~receipt.arrives].tolist():
            message, size = self._message(values, known, position, keys.get(position))
            total -= message
            largest -= size
        for position in arrived.tolist():
            if position in keys:
                total -= mask(keys[position], self._sum_number, len(total), self.ring)
        if noise is not None:
            noise_steps = fixed_point(noise.of(np.sort(arrived), len(total)), self.ring)
            require_room(largest + reach(noise_steps), self.ring, len(arrived) + 1)
            total += reduced(noise_steps, self.ring)
        steps = steps_of(total, self.ring)
        if known is not None:
            self._add(known, arrived, steps, largest)
        return Summed(steps / 2.0**self.ring.fraction_bits, receipt)

    def _message(
        self, values: VectorOf, known: VectorOf | None, position: int, key: bytes | None
    ) -> tuple[np.ndarray, int]:
        """Return a client's message, masked by a key if there is one, and its largest size before.

        Args:
            values: what each client says.
            known: what of it the server knows; None for nothing.
            position: the client's place.
            key: what it shares with the dealer.
        """
        steps = fixed_point(values(position), self.ring)
        if known is not None:
            steps -= fixed_point(known(position), self.ring)
        size = reach(steps)
        require_room(size, self.ring, 1)
        numbers = reduced(steps, self.ring)
        if key is None:
            return numbers, size
        key_stream = mask(key, self._sum_number, len(numbers), self.ring)
        return reduced(numbers + key_stream, self.ring), size

    def _hand_out_keys(self, client: np.ndarray) -> None:
        """Send a key to each client that has none."""
        new = [number for number in client.tolist() if number not in self._keyed]
        self.post.down(
            {"share": KEY_BYTES // FLOAT_BYTES}, np.array(new, dtype=int), sender="dealer"
        )
        self._keyed.update(new)

    def _dealer_tells(self, receipt: Receipt, count: int) -> bool:
        """Tell the dealer who arrived, an id of 32 bits each; return whether it tells their masks.

        Where nobody was asked there is nothing to tell it.
        """
        if not len(receipt.client):
            return False
        arrived = int(receipt.arrives.sum())
        self.post.between({"mask": arrived}, "server", "dealer", receipt.round)
        if arrived < LEAST_SUMMED:
            return False
        self.post.between({"mask": self.ring.floats(count)}, "dealer", "server", receipt.round)
        return True

    def _add(self, known: VectorOf, arrived: np.ndarray, steps: np.ndarray, largest: int) -> None:
        """Add what the server knows of those who arrived to the sum of the rest, in place."""
        word = Ring(fraction_bits=self.ring.fraction_bits)
        for position in arrived.tolist():
            known_steps = fixed_point(known(position), word)
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
        digests: Sequence[bytes | None],
    ) -> Receipt:
        bits = np.full(len(client), 8 * (HEADER_BYTES + self.ring.message_bytes(count)))
        content = Encoded(bits, list(digests))
        parts = {part: self.ring.floats(count)}
        return self.post.up(parts, client, round, content=content, offered=sent)


def travelling(numbers: np.ndarray, ring: Ring) -> bytes | memoryview:
    """Return numbers of the ring (count,) as they are sent: w bits each without gaps."""
    if ring.bits == WORD_BITS:
        return numbers.data
    chunks = (
        numbers[first : first + NUMBERS_AT_ONCE]
        for first in range(0, len(numbers), NUMBERS_AT_ONCE)
    )
    return b"".join(pack(chunk[None], ring.bits).tobytes() for chunk in chunks)
