"""Masks by replicated seeds (Cramer, Damgård and Ishai 2005): a committee in a dealer's place.

A committee has n members, k of whom take the masks off a sum. For each set A of k - 1 members a
client draws a seed that all members outside A are given; its mask is the sum of the key streams of
its seeds in the ring. So the members of A together lack one seed of every client, whose stream is
uniform to them, and any k members hold all: for each set, one of them is outside it.

A client sends its masked numbers, and to each member a box with the seeds that the member is given
(`privacy/boxes.py`), all in one message. Once it is said whose messages arrived, one member for
each set answers with the sum of that set's streams over them; the sum of all answers is the sum of
the masks. `privacy/members.py` has what members check before they answer.

A study derives keys and seeds from the run, so that its messages repeat; a deployment draws them
with `secrets.token_bytes`.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from math import comb

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.privacy.boxes import PUBLIC_BYTES, TAG_BYTES, KeyPair, seal
from fbftl.privacy.masking import KEY_BYTES, WORD, derived, mask, reduced

MOST_MEMBERS = 6
"""Members at most: a client's mask has C(n, k - 1) streams, and so many answers are given."""


@dataclass(frozen=True)
class Committee:
    """Who takes masks off sums.

    members: n, of whom some may be absent.
    threshold: k, that have to be there, and without which nothing is read. It is above n / 2, so
        that no two groups of k members can be told two lists of arrivals, whose sums' difference
        would be a client's message.
    """

    members: int
    threshold: int

    def __post_init__(self) -> None:
        if not 2 <= self.threshold <= self.members <= MOST_MEMBERS:
            raise UserError(
                f"a committee of {self.members} members has threshold {self.threshold}; give at "
                f"most {MOST_MEMBERS} members, and a threshold from 2 to as many as there are"
            )
        if 2 * self.threshold <= self.members:
            raise UserError(
                f"a committee of {self.members} members with threshold {self.threshold} has two "
                "groups that could each answer another list; give a threshold above half"
            )

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of k - 1 members that have a seed kept from them, in order."""
        return tuple(combinations(range(self.members), self.threshold - 1))

    def held(self, member: int) -> tuple[int, ...]:
        """Return the indices of the sets whose seeds a member is given: those it is not in."""
        return tuple(index for index, left_out in enumerate(self.sets) if member not in left_out)

    @property
    def seeds_per_member(self) -> int:
        """Seeds that a client gives each member: C(n - 1, k - 1)."""
        return comb(self.members - 1, self.threshold - 1)

    @property
    def one_box_bytes(self) -> int:
        """Bytes of one member's box."""
        return KEY_BYTES * self.seeds_per_member + TAG_BYTES

    @property
    def box_bytes(self) -> int:
        """Bytes that a client's message has beside its numbers: a public key, and n boxes."""
        return PUBLIC_BYTES + self.members * self.one_box_bytes

    def answering(self, present: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the member that answers each set, the least busy of those outside it.

        Args:
            present: members that are there.

        Returns:
            None where they are fewer than the threshold.
        """
        if len(present) < self.threshold:
            return None
        busy = dict.fromkeys(present, 0)
        answering = []
        for left_out in self.sets:
            member = min((busy[number], number) for number in present if number not in left_out)[1]
            busy[member] += 1
            answering.append(member)
        return tuple(answering)


@dataclass(frozen=True)
class PublicCommittee:
    """What everybody knows of a committee in one run.

    committee: members and threshold.
    keys: public key of each member.
    """

    committee: Committee
    keys: tuple[bytes, ...]

    @cached_property
    def digest(self) -> bytes:
        """What stands for this committee in this run, 32 bytes."""
        numbers = bytes([self.committee.members, self.committee.threshold])
        return sha256(numbers + b"".join(self.keys)).digest()

    def context(self, sum_number: int, client: int, member: int) -> bytes:
        """Return what a box is for: this run's sum `sum_number`, from one client to one member."""
        numbers = (number.to_bytes(8, "little") for number in (sum_number, client, member))
        return self.digest + b"".join(numbers)


@dataclass(frozen=True)
class Boxes:
    """What a client sends the members beside its masked numbers.

    key: the client's public key for this message.
    boxes: for each member, the seeds that it is given.
    """

    key: bytes
    boxes: tuple[bytes, ...]

    def travelling(self) -> bytes:
        """Return them as they are sent."""
        return self.key + b"".join(self.boxes)


@dataclass(frozen=True)
class ClientSeeds:
    """What one client draws for one sum.

    seeds: of each set, 32 bytes.
    pair: its keys for the boxes of this message.
    """

    seeds: tuple[bytes, ...]
    pair: KeyPair

    @classmethod
    def of_study(
        cls, secret: bytes, committee: Committee, sum_number: int, client: int
    ) -> "ClientSeeds":
        """Return a study's seeds of a client, which repeat with the run's secret."""
        count = len(committee.sets)
        purpose = b"client" + sum_number.to_bytes(8, "little") + client.to_bytes(8, "little")
        drawn = derived(secret, purpose, KEY_BYTES * (count + 1))
        parts = [drawn[at : at + KEY_BYTES] for at in range(0, len(drawn), KEY_BYTES)]
        return cls(tuple(parts[:count]), KeyPair(parts[count]))

    def mask(self, sum_number: int, count: int, ring: Ring = WORD) -> np.ndarray:
        """Return the client's mask, (count,) uint64 below 2^w: the sum of its seeds' streams."""
        return sum_of_streams(self.seeds, sum_number, count, ring)

    def boxes(self, public: PublicCommittee, sum_number: int, client: int) -> Boxes:
        """Return each member's seeds in a box of its own."""
        sealed = []
        for member, key in enumerate(public.keys):
            content = b"".join(self.seeds[index] for index in public.committee.held(member))
            sealed.append(seal(content, self.pair, key, public.context(sum_number, client, member)))
        return Boxes(self.pair.public, tuple(sealed))


def sum_of_streams(
    seeds: "tuple[bytes, ...] | list[bytes]", sum_number: int, count: int, ring: Ring = WORD
) -> np.ndarray:
    """Return the sum of the key streams of seeds in the ring, (count,) uint64 below 2^w."""
    total = np.zeros(count, dtype=np.uint64)
    for seed in seeds:
        total += mask(seed, sum_number, count)
    return reduced(total, ring)
