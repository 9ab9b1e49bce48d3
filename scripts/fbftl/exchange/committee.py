"""A committee that takes masks off sums, through the post, with all that its parties exchange.

Before its first sum a client is given the members' public keys. Its one message holds its masked
numbers and a box for each member. The server passes the boxes of those that arrived on to the
members with their list; members compare digests of it, and for each set one of them answers with
the sum of the set's streams (`privacy/members.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from fbftl.exchange.post import Post, Receipt
from fbftl.exchange.unmasking import Unmasked, sum_of, too_few
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import Ring
from fbftl.privacy.boxes import PUBLIC_BYTES, KeyPair
from fbftl.privacy.masking import LEAST_SUMMED, derived
from fbftl.privacy.members import DIGEST_BYTES, Member, sum_of_masks
from fbftl.privacy.replicated import ClientSeeds, Committee, PublicCommittee
from fbftl.study.job import Job
from fbftl.study.release import spelled


@dataclass
class CommitteeMasks:
    """One repetition's committee.

    committee: members and threshold.
    secret: 32 bytes, from which a study derives the keys and the seeds of this run.
    least_arrivals: share of the messages of a sum that has to arrive.
    present: members that are there; all if None.
    """

    committee: Committee
    secret: bytes
    least_arrivals: float = 0.0
    present: tuple[int, ...] | None = None
    _keyed: set[int] = field(default_factory=set)
    _withheld: list[str] = field(default_factory=list)

    noise_by_clients = True

    def __post_init__(self) -> None:
        numbers = range(self.committee.members)
        pairs = [KeyPair(derived(self.secret, b"member" + bytes([number]))) for number in numbers]
        self.public = PublicCommittee(self.committee, tuple(pair.public for pair in pairs))
        self.members = [
            Member(number, pair, self.public) for number, pair in zip(numbers, pairs, strict=True)
        ]

    @classmethod
    def of_job(cls, job: Job, seed: int) -> "CommitteeMasks":
        """Return the committee of one repetition, whose keys and seeds follow from the run."""
        setting = job.setting
        axes = {axis: setting.values[axis] for axis in ("method", *setting.deviating)}
        run = spelled({"task": job.task, "setting": axes})
        committee = Committee(setting.committee_members, setting.committee_threshold)
        secret = derived(seed.to_bytes(8, "little"), b"committee" + run.encode())
        return cls(committee, secret, setting.least_arrivals)

    @property
    def beside(self) -> Mapping[str, float]:
        """Floats of the boxes in a client's message."""
        return {"boxes": self.committee.box_bytes / FLOAT_BYTES}

    @property
    def record(self) -> dict[str, Any]:
        """What a run file says: the committee, and why sums were withheld."""
        committee = {"members": self.committee.members, "threshold": self.committee.threshold}
        return {"committee": committee | {"withheld": list(self._withheld)}}

    def hand_out(self, post: Post, client: np.ndarray) -> None:
        """Send the members' public keys to each client that has none."""
        new = np.array(
            [number for number in client.tolist() if number not in self._keyed], dtype=int
        )
        keys = self.committee.members * PUBLIC_BYTES // FLOAT_BYTES
        post.down({"key": keys}, new, sender="member")
        self._keyed.update(new.tolist())

    def mask(self, client: int, sum_number: int, count: int, ring: Ring) -> np.ndarray:
        """Return the sum of the key streams of a client's seeds."""
        return self._seeds(client, sum_number).mask(sum_number, count, ring)

    def enclosed(self, client: int, sum_number: int) -> bytes:
        """Return a client's public key and its boxes."""
        return self._seeds(client, sum_number).boxes(self.public, sum_number, client).travelling()

    def unmask(
        self,
        post: Post,
        receipt: Receipt,
        made: Sequence[int],
        sum_number: int,
        count: int,
        ring: Ring,
    ) -> Unmasked:
        """Have members compare the list of arrivals, and one for each set answer."""
        arrived = int(receipt.arrives.sum())
        least = max(LEAST_SUMMED, ceil(self.least_arrivals * len(receipt.client) - 1e-9))
        if not len(receipt.client):  # nobody was asked for anything
            return Unmasked(None, too_few(0, least))
        present = tuple(range(self.committee.members)) if self.present is None else self.present
        box = PUBLIC_BYTES + self.committee.one_box_bytes
        handed = {"boxes": arrived * box / FLOAT_BYTES, "arrivals": arrived}
        _each(post, len(present), handed, "server", "member", receipt.round)
        if arrived < least:
            return self._withhold(receipt, too_few(arrived, least))
        answering = self.committee.answering(present)
        if answering is None:
            threshold = f"{self.committee.threshold} of {self.committee.members}"
            return self._withhold(
                receipt, f"{len(present)} members are there, and a sum takes {threshold}"
            )
        compared = {"arrivals": DIGEST_BYTES // FLOAT_BYTES}
        others = len(present) * (len(present) - 1)
        _each(post, others, compared, "member", "member", receipt.round)
        sums = {"answer": ring.floats(count)}
        _each(post, len(answering), sums, "member", "server", receipt.round)
        if len(made) < LEAST_SUMMED:
            return Unmasked(sum_of(self, made, sum_number, count, ring))
        # Of a simulated sum fewer clients may have been made than arrive; members know the bound.
        bound = least if len(made) == arrived else LEAST_SUMMED
        return Unmasked(self._answered(present, answering, made, sum_number, count, ring, bound))

    def _answered(
        self,
        present: tuple[int, ...],
        answering: tuple[int, ...],
        made: Sequence[int],
        sum_number: int,
        count: int,
        ring: Ring,
        least: int,
    ) -> np.ndarray:
        """Return the sum of masks as the members that are there tell it, of so many at least."""
        members = [self.members[number] for number in present]
        for client in made:
            boxes = self._seeds(client, sum_number).boxes(self.public, sum_number, client)
            for member in members:
                member.open(sum_number, client, boxes)
        digests = {
            member.number: member.receive_list(sum_number, made, least) for member in members
        }
        for member in members:
            member.compare(sum_number, digests)
        answers = [
            self.members[number].answer(sum_number, index, count, ring)
            for index, number in enumerate(answering)
        ]
        for member in members:
            member.forget(sum_number)
        return sum_of_masks(self.public, sum_number, made, answers, ring)

    def _seeds(self, client: int, sum_number: int) -> ClientSeeds:
        return ClientSeeds.of_study(self.secret, self.committee, sum_number, client)

    def _withhold(self, receipt: Receipt, why: str) -> Unmasked:
        sentence = f"round {receipt.round}: {why}"
        self._withheld.append(sentence)
        return Unmasked(None, sentence)


def _each(
    post: Post, count: int, parts: Mapping[str, float], sender: str, receiver: str, round: Any
) -> None:
    """Enter so many equal messages of one round."""
    if count:
        post.between(parts, sender, receiver, np.full(count, round))
