"""What members refuse: boxes that are replayed or damaged, second lists, lists that differ."""

from dataclasses import replace

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.privacy.boxes import BoxError, KeyPair, seal, unseal
from fbftl.privacy.members import Answer, Member, list_digest, sum_of_masks
from fbftl.privacy.replicated import Boxes, ClientSeeds, Committee, PublicCommittee

COMMITTEE = Committee(3, 2)
PAIRS = [KeyPair(bytes([one + 1]) * 32) for one in range(3)]
PUBLIC = PublicCommittee(COMMITTEE, tuple(pair.public for pair in PAIRS))
CLIENTS = [4, 7, 9]


def boxes(client: int, sum_number: int = 1, public: PublicCommittee = PUBLIC) -> Boxes:
    return ClientSeeds.of_study(b"s" * 32, COMMITTEE, sum_number, client).boxes(
        public, sum_number, client
    )


def member(number: int = 0) -> Member:
    return Member(number, PAIRS[number], PUBLIC)


def opened(number: int = 0) -> Member:
    one = member(number)
    for client in CLIENTS:
        one.open(1, client, boxes(client))
    return one


def agreed(number: int = 0, arrivals: tuple[int, ...] = (4, 7, 9)) -> Member:
    one = opened(number)
    digest = one.receive_list(1, arrivals)
    one.compare(1, {0: digest, 1: digest})
    return one


def spoilt(message: Boxes) -> Boxes:
    box = bytearray(message.boxes[0])
    box[5] ^= 1
    return replace(message, boxes=(bytes(box), *message.boxes[1:]))


def test_a_box_opens_for_its_receiver_alone():
    sender, receiver, other = PAIRS
    box = seal(b"content", sender, receiver.public, b"sum 1")
    assert unseal(box, sender.public, receiver, b"sum 1") == b"content"
    assert b"content" not in box
    for pair, key, context in [
        (other, sender.public, b"sum 1"),
        (receiver, other.public, b"sum 1"),
        (receiver, sender.public, b"sum 2"),
        (receiver, bytes(32), b"sum 1"),
        (receiver, b"short", b"sum 1"),
    ]:
        with pytest.raises(BoxError):
            unseal(box, key, pair, context)


def test_a_member_is_given_the_seeds_of_the_sets_that_it_is_not_in():
    seeds = ClientSeeds.of_study(b"s" * 32, COMMITTEE, 1, 4)
    for number, pair in enumerate(PAIRS):
        context = PUBLIC.context(1, 4, number)
        content = unseal(boxes(4).boxes[number], boxes(4).key, pair, context)
        assert content == b"".join(seeds.seeds[place] for place in COMMITTEE.held(number))


@pytest.mark.parametrize(
    ("message", "what"),
    [
        (spoilt(boxes(5)), "a box of client 5 that does not open"),
        (replace(boxes(5), boxes=(b"",) * 3), "does not open"),
        (replace(boxes(5), boxes=()), "does not open"),
        (replace(boxes(5), key=bytes(32)), "does not open"),
        (boxes(6), "a box of client 5 that does not open"),  # another client's
        (boxes(5, sum_number=2), "does not open"),  # sent in another sum
        (
            boxes(5, public=PublicCommittee(COMMITTEE, PUBLIC.keys[::-1])),
            "does not open",
        ),  # of another run
        (
            Boxes(
                KeyPair(b"c" * 32).public,
                (seal(b"12", KeyPair(b"c" * 32), PUBLIC.keys[0], PUBLIC.context(1, 5, 0)),),
            ),
            "a box of client 5 of another length",
        ),
    ],
)
def test_a_box_that_is_not_for_this_sum_is_refused_and_named(message, what):
    with pytest.raises(UserError, match=f"member 0 has .*{what}.* and tells no sum"):
        member().open(1, 5, message)


def test_a_box_that_is_sent_again_is_refused():
    one = opened()
    with pytest.raises(UserError, match="a box of client 4 again"):
        one.open(1, 4, boxes(4))
    one.receive_list(1, CLIENTS)
    one.forget(1)
    with pytest.raises(UserError, match="a box of client 4 again"):
        one.open(1, 4, boxes(4))


def test_two_lists_of_a_sum_are_refused_and_lists_of_two_sums_are_not():
    one = agreed()
    one.forget(1)
    with pytest.raises(UserError, match="a second list of arrivals"):
        one.receive_list(1, [4, 7])
    for client in CLIENTS:
        one.open(2, client, boxes(client, sum_number=2))
    assert one.receive_list(2, CLIENTS) == list_digest(2, CLIENTS) != list_digest(1, CLIENTS)


@pytest.mark.parametrize("arrivals", [[], [4], [4, 4], [4, 7, 7]])
def test_a_list_of_fewer_than_two_clients_is_refused(arrivals):
    with pytest.raises(UserError, match="let at least 2 take part, each once"):
        opened().receive_list(1, arrivals)


def test_a_list_below_what_was_agreed_or_without_a_box_is_refused():
    with pytest.raises(UserError, match=r"a list of 2 clients .* at least 3"):
        opened().receive_list(1, [4, 7], least=3)
    with pytest.raises(UserError, match="no box of client 5"):
        opened().receive_list(1, [4, 5])


def test_members_who_were_told_other_lists_are_named():
    one, other = opened(0), opened(1)
    digests = {0: one.receive_list(1, CLIENTS), 1: other.receive_list(1, [4, 7])}
    with pytest.raises(UserError, match="member 0 has another list of arrivals from member 1"):
        one.compare(1, digests)
    with pytest.raises(UserError, match="before lists were compared"):
        one.answer(1, COMMITTEE.held(0)[0], 3)


def test_the_order_of_a_list_is_the_same_list():
    assert list_digest(1, [7, 4]) == list_digest(1, [4, 7]) != list_digest(1, [4, 9])


def test_a_member_alone_answers_nothing():
    one = opened()
    with pytest.raises(UserError, match="the list of 1 members"):
        one.compare(1, {0: one.receive_list(1, CLIENTS)})


def test_a_member_does_not_answer_for_a_set_that_it_is_in():
    (in_it,) = {0, 1, 2} - {*COMMITTEE.held(0)}
    with pytest.raises(UserError, match=f"set {in_it}, which it is in"):
        agreed().answer(1, in_it, 3)


def test_an_answer_for_another_list_is_refused_and_its_member_named():
    answers = [agreed(0).answer(1, 1, 3), agreed(0).answer(1, 2, 3), agreed(1).answer(1, 0, 3)]
    wanted = sum(
        ClientSeeds.of_study(b"s" * 32, COMMITTEE, 1, client).mask(1, 3) for client in CLIENTS
    )
    assert np.array_equal(sum_of_masks(PUBLIC, 1, CLIENTS, answers), wanted)
    lying = agreed(1, arrivals=(4, 7)).answer(1, 0, 3)
    with pytest.raises(UserError, match="member 1 answers for another list"):
        sum_of_masks(PUBLIC, 1, CLIENTS, [*answers[:2], lying])


def test_a_set_without_an_answer_or_with_two_leaves_no_sum():
    digest = list_digest(1, CLIENTS)
    answers = [Answer(0, place, digest, np.zeros(2, dtype=np.uint64)) for place in (0, 1)]
    for some in (answers, [*answers, answers[0]], [*answers, answers[0], answers[1]]):
        with pytest.raises(UserError, match="so that there is no sum; ask one member for each"):
            sum_of_masks(PUBLIC, 1, CLIENTS, some)
