"""What a member of a committee checks, and the sum that its answers make.

In a sum a member is handed boxes and told once whose messages arrived. It compares the digest of
that list with the other members', and then answers for sets that it is not in: the sum of the
set's key streams over those who arrived. It never answers for another list of the same sum, since
the difference of two sums shows what is in one and not in the other. Members are honest but
curious; what a lying one can do is on docs/committee.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.privacy.boxes import BoxError, KeyPair, unseal
from fbftl.privacy.masking import KEY_BYTES, LEAST_SUMMED, WORD, reduced
from fbftl.privacy.replicated import Boxes, PublicCommittee, sum_of_streams

DIGEST_BYTES = 32
"""Bytes of the digest of a list."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a member says of one set.

    member: who says it.
    index: of the set.
    arrivals: digest of the list that it is for.
    numbers: (count,) sum of the set's streams over the list.
    """

    member: int
    index: int
    arrivals: bytes
    numbers: np.ndarray


@dataclass
class Member:
    """One member of a committee in one run.

    number: its position among the members.
    pair: its keys, the private one its secret.
    public: what everybody knows of the committee.
    """

    number: int
    pair: KeyPair
    public: PublicCommittee
    _boxes: dict[int, dict[int, tuple[bytes, ...]]] = field(default_factory=dict, repr=False)
    _lists: dict[int, tuple[bytes, tuple[int, ...]]] = field(default_factory=dict, repr=False)
    _agreed: set[int] = field(default_factory=set, repr=False)

    def open(self, sum_number: int, client: int, boxes: Boxes) -> None:
        """Take a client's seeds out of its box.

        Raises:
            UserError: naming the client, if the box was sent before, damaged, or made for another
                sum, client or member.
        """
        held = self._boxes.setdefault(sum_number, {})
        if client in held or sum_number in self._lists:
            raise self._refusal(f"a box of client {client} again", "send one message in each sum")
        try:
            context = self.public.context(sum_number, client, self.number)
            content = unseal(boxes.boxes[self.number], boxes.key, self.pair, context)
        except (BoxError, IndexError) as error:
            raise self._refusal(
                f"a box of client {client} that does not open", "leave the client out"
            ) from error
        if len(content) != KEY_BYTES * self.public.committee.seeds_per_member:
            raise self._refusal(
                f"a box of client {client} of another length", "leave the client out"
            )
        seeds = (content[at : at + KEY_BYTES] for at in range(0, len(content), KEY_BYTES))
        held[client] = tuple(seeds)

    def receive_list(
        self, sum_number: int, arrivals: Sequence[int], least: int = LEAST_SUMMED
    ) -> bytes:
        """Receive whose messages arrived; return the digest of the list.

        Args:
            sum_number: which sum it is.
            arrivals: the clients, whose boxes have come before.
            least: clients that a list has at least.

        Raises:
            UserError: for a second list of a sum, one that is too short, one that names a client
                twice, and one with a client that has no box.
        """
        if sum_number in self._lists:
            raise self._refusal("a second list of arrivals", "name those who arrived once")
        least = max(least, LEAST_SUMMED)
        if len(set(arrivals)) < least or len(set(arrivals)) < len(arrivals):
            raise self._refusal(
                f"a list of {len(set(arrivals))} clients in {len(arrivals)} indices",
                f"let at least {least} take part, each once",
            )
        unknown = [client for client in arrivals if client not in self._boxes.get(sum_number, {})]
        if unknown:
            raise self._refusal(f"no box of client {unknown[0]}", "leave the client out")
        digest = list_digest(sum_number, arrivals)
        self._lists[sum_number] = digest, tuple(arrivals)
        return digest

    def compare(self, sum_number: int, digests: Mapping[int, bytes]) -> None:
        """Compare the list with those of the other members that are there.

        Args:
            sum_number: which sum it is.
            digests: of each of them, by its number.

        Raises:
            UserError: naming the members that were told another list, or that too few were told.
        """
        list_here, _ = self._lists[sum_number]
        others = sorted(member for member, digest in digests.items() if digest != list_here)
        if others:
            raise self._refusal(
                f"another list of arrivals from member {' and '.join(map(str, others))}",
                "tell all members the same",
            )
        present = {*digests, self.number}
        if len(present) < self.public.committee.threshold:
            raise self._refusal(
                f"the list of {len(present)} members", f"ask {self.public.committee.threshold}"
            )
        self._agreed.add(sum_number)

    def answer(self, sum_number: int, index: int, count: int, ring: Ring = WORD) -> Answer:
        """Return the sum of one set's streams over those who arrived.

        Args:
            sum_number: which sum it is.
            index: of the set among the committee's.
            count: numbers in a message.
            ring: that they are in.

        Raises:
            UserError: if the lists were not compared, or the member is in the set.
        """
        if sum_number not in self._agreed:
            raise self._refusal("a question before lists were compared", "compare them first")
        held = self.public.committee.held(self.number)
        if index not in held:
            raise self._refusal(f"a question for set {index}, which it is in", "ask another member")
        digest, arrivals = self._lists[sum_number]
        at = held.index(index)
        seeds = [self._boxes[sum_number][client][at] for client in arrivals]
        return Answer(self.number, index, digest, sum_of_streams(seeds, sum_number, count, ring))

    def forget(self, sum_number: int) -> None:
        """Drop the seeds of a sum that has been answered; its list stays known."""
        self._boxes.pop(sum_number, None)

    def _refusal(self, what: str, remedy: str) -> UserError:
        return UserError(f"member {self.number} has {what} and tells no sum; {remedy}")


def list_digest(sum_number: int, arrivals: Sequence[int]) -> bytes:
    """Return the digest of a list of arrivals, whatever its order."""
    numbers = np.array([sum_number, *sorted(arrivals)], dtype="<i8")
    return sha256(numbers.tobytes()).digest()


def sum_of_masks(
    public: PublicCommittee,
    sum_number: int,
    arrivals: Sequence[int],
    answers: Sequence[Answer],
    ring: Ring = WORD,
) -> np.ndarray:
    """Return the sum of the masks of those who arrived, (count,) uint64, from members' answers.

    Args:
        public: the committee.
        sum_number: which sum it is.
        arrivals: whose messages arrived.
        answers: one for each set.
        ring: that the numbers are in.

    Raises:
        UserError: if a member answers for another list, or a set lacks its answer or has two.
    """
    digest, sets = list_digest(sum_number, arrivals), public.committee.sets
    for answer in answers:
        if answer.arrivals != digest:
            raise UserError(
                f"member {answer.member} answers for another list of arrivals than the one named, "
                "so that there is no sum; ask another member outside the set"
            )
    indices = sorted(answer.index for answer in answers)
    if indices != list(range(len(sets))):
        raise UserError(
            f"members answer for the sets {indices} of {len(sets)}, so that there is no sum; ask "
            "one member for each set"
        )
    total = np.zeros_like(answers[0].numbers)
    for answer in answers:
        total += answer.numbers
    return reduced(total, ring)
