"""Replicated seeds: exact under every pattern of arrivals, uniform to those below the threshold."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.privacy import replicated
from fbftl.privacy.boxes import KeyPair
from fbftl.privacy.masking import WORD, from_ring, reduced, to_ring
from fbftl.privacy.members import Member, sum_of_masks
from fbftl.privacy.replicated import ClientSeeds, Committee, PublicCommittee
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2_contingency

SUM_NUMBER = 3


def public_of(committee: Committee, secret: int = 0) -> tuple[PublicCommittee, list[KeyPair]]:
    pairs = [KeyPair(bytes([secret + 1, one]) * 16) for one in range(committee.members)]
    return PublicCommittee(committee, tuple(pair.public for pair in pairs)), pairs


def seeds_of(committee: Committee, client: int, secret: bytes = b"s" * 32) -> ClientSeeds:
    return ClientSeeds.of_study(secret, committee, SUM_NUMBER, client)


def sum_by_members(
    committee: Committee,
    present: tuple[int, ...],
    numbers: np.ndarray,
    arrivals: list[int],
    ring: Ring,
) -> np.ndarray:
    """Return the sum in the ring that server and members come to of messages that arrived."""
    public, pairs = public_of(committee)
    members = [Member(one, pairs[one], public) for one in present]
    total = np.zeros(numbers.shape[1], dtype=np.uint64)
    for client in arrivals:
        seeds = seeds_of(committee, client)
        total += reduced(numbers[client] + seeds.mask(SUM_NUMBER, numbers.shape[1], ring), ring)
        for member in members:
            member.open(SUM_NUMBER, client, seeds.boxes(public, SUM_NUMBER, client))
    digests = {member.number: member.receive_list(SUM_NUMBER, arrivals) for member in members}
    for member in members:
        member.compare(SUM_NUMBER, digests)
    by_number = {member.number: member for member in members}
    answers = [
        by_number[one].answer(SUM_NUMBER, place, numbers.shape[1], ring)
        for place, one in enumerate(committee.answering(present))
    ]
    return reduced(total - sum_of_masks(public, SUM_NUMBER, arrivals, answers, ring), ring)


def open_sum(numbers: np.ndarray, arrivals: list[int], ring: Ring) -> np.ndarray:
    return reduced(numbers[arrivals].sum(axis=0, dtype=np.uint64), ring)


def subsets(of: int, least: int) -> list[tuple[int, ...]]:
    return [some for size in range(least, of + 1) for some in combinations(range(of), size)]


@pytest.mark.parametrize(("members", "threshold"), [(2, 2), (3, 2), (4, 3), (4, 4)])
def test_every_pattern_of_arrivals_and_members_gives_the_open_sum_to_the_byte(members, threshold):
    ring, committee = Ring(36), Committee(members, threshold)
    numbers = to_ring(np.random.default_rng(0).normal(size=(4, 10)), ring)
    for present in subsets(members, threshold):
        for arrivals in map(list, subsets(4, 2)):
            total = sum_by_members(committee, present, numbers, arrivals, ring)
            assert total.tobytes() == open_sum(numbers, arrivals, ring).tobytes()


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_sums_of_many_sizes_are_open_sums_to_the_byte(data):
    committee = Committee(*data.draw(st.sampled_from(committees())))
    clients, count = data.draw(st.integers(2, 40)), data.draw(st.integers(10, 300))
    arrivals = data.draw(
        st.lists(st.integers(0, clients - 1), min_size=2, max_size=clients, unique=True)
    )
    absent = data.draw(st.integers(0, committee.members - committee.threshold))
    present = tuple(data.draw(st.permutations(range(committee.members)))[absent:])
    ring = Ring(data.draw(st.integers(30, 64)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    numbers = reduced(rng.integers(2**63, size=(clients, count)), ring)
    total = sum_by_members(committee, present, numbers, arrivals, ring)
    assert total.tobytes() == open_sum(numbers, arrivals, ring).tobytes()


@pytest.mark.parametrize(("clients", "count"), [(1000, 10), (2, 100_000)])
def test_the_largest_sums_are_open_sums_to_the_byte(clients, count):
    numbers = np.random.default_rng(1).integers(2**63, size=(clients, count)).astype(np.uint64)
    arrivals = list(range(0, clients, 3)) if clients > 5 else [0, 1]
    total = sum_by_members(Committee(3, 2), (0, 2), numbers, arrivals, WORD)
    assert total.tobytes() == open_sum(numbers, arrivals, WORD).tobytes()


def committees() -> list[tuple[int, int]]:
    return [(n, k) for n in range(2, 7) for k in range(n // 2 + 1, n + 1) if k > 1]


@pytest.mark.parametrize(("members", "threshold"), committees())
def test_any_threshold_of_members_hold_all_seeds_and_fewer_lack_one(members, threshold):
    committee = Committee(members, threshold)
    assert len(committee.sets) == comb(members, threshold - 1)
    for some in subsets(members, 1):
        held = {place for member in some for place in committee.held(member)}
        assert (len(held) == len(committee.sets)) is (len(some) >= threshold)
        assert (committee.answering(some) is None) is (len(some) < threshold)
    for place, member in enumerate(committee.answering(tuple(range(members)))):
        assert place in committee.held(member)


@pytest.mark.parametrize(("members", "threshold"), [(7, 3), (5, 6), (3, 1), (1, 1), (0, 0), (6, 7)])
def test_what_is_no_committee_is_refused(members, threshold):
    with pytest.raises(UserError, match=f"{members} members has threshold {threshold}; give"):
        Committee(members, threshold)


@pytest.mark.parametrize(("members", "threshold"), [(4, 2), (5, 2), (6, 2), (6, 3)])
def test_a_committee_of_two_groups_that_could_answer_two_lists_is_refused(members, threshold):
    with pytest.raises(UserError, match="two groups that could each answer another list"):
        Committee(members, threshold)


@pytest.mark.parametrize(("members", "threshold"), committees())
def test_a_message_is_longer_by_a_key_and_boxes(members, threshold):
    committee = Committee(members, threshold)
    public, _ = public_of(committee)
    boxes = seeds_of(committee, 5).boxes(public, SUM_NUMBER, 5)
    assert len(boxes.travelling()) == committee.box_bytes
    seeds = comb(members - 1, threshold - 1)
    assert committee.box_bytes == 32 + members * (32 * seeds + 16)


def test_five_members_of_whom_three_are_needed_cost_a_client_less_than_2_kb():
    assert Committee(5, 3).box_bytes == 1072


# --- what those below the threshold see -------------------------------------------------------


def views(
    committee: Committee, colluding: tuple[int, ...], inputs: tuple[int, int], ring: Ring,
    trials: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch,
) -> np.ndarray:  # fmt: skip
    """Return what the server and some members see in trials, a whole number for each.

    Every number of a vector is a trial of its own; streams are uniform numbers.
    """
    drawn: dict[bytes, np.ndarray] = {}

    def uniform(seed: bytes, _sum_number: int, count: int, in_ring: Ring = WORD) -> np.ndarray:
        if seed not in drawn:
            drawn[seed] = rng.integers(2**62, size=count).astype(np.uint64)
        return reduced(drawn[seed], in_ring)

    monkeypatch.setattr(replicated, "mask", uniform)
    clients = [seeds_of(committee, client) for client in (0, 1)]
    seen = [
        reduced(np.uint64(value) + seeds.mask(SUM_NUMBER, trials, ring), ring)
        for value, seeds in zip(inputs, clients, strict=True)
    ]
    places = {place for member in colluding for place in committee.held(member)}
    for place in range(len(committee.sets)):
        streams = [uniform(seeds.seeds[place], SUM_NUMBER, trials, ring) for seeds in clients]
        seen += streams if place in places else [reduced(streams[0] + streams[1], ring)]
    code = np.zeros(trials, dtype=np.int64)
    for numbers in seen:
        code = code * 2**ring.bits + numbers.astype(np.int64)
    return code


def pvalue(first: np.ndarray, second: np.ndarray) -> float:
    """Return how likely two samples are to part so far, if both are drawn alike."""
    cells, index = np.unique(np.concatenate([first, second]), return_inverse=True)
    table = [np.bincount(part, minlength=len(cells)) for part in np.split(index, 2)]
    return chi2_contingency(np.array(table)).pvalue


@pytest.mark.parametrize(
    ("members", "threshold", "bits", "trials"),
    [(3, 2, 1, 40_000), (3, 2, 2, 400_000), (4, 3, 1, 200_000), (2, 2, 4, 600_000)],
)
def test_views_below_the_threshold_are_those_of_any_inputs_with_the_sum(
    members, threshold, bits, trials, monkeypatch
):
    committee, ring = Committee(members, threshold), Ring(bits, 0)
    rng = np.random.default_rng(bits)
    for colluding in combinations(range(members), threshold - 1):
        ours, others = (
            views(committee, colluding, inputs, ring, trials, rng, monkeypatch)
            for inputs in ((1, 0), (0, 1))
        )
        assert pvalue(ours, others) > 1e-3


def test_views_of_a_threshold_of_members_tell_the_inputs(monkeypatch):
    rng, committee = np.random.default_rng(0), Committee(3, 2)
    ours, others = (
        views(committee, (0, 1), inputs, Ring(1, 0), 40_000, rng, monkeypatch)
        for inputs in ((1, 0), (0, 1))
    )
    assert pvalue(ours, others) < 1e-100


def test_a_masked_message_is_uniform_bytes():
    mask = seeds_of(Committee(5, 3), 1).mask(SUM_NUMBER, 50_000)
    counts = np.bincount(mask.view(np.uint8), minlength=256)
    assert abs(counts - counts.mean()).max() < 6 * np.sqrt(counts.mean())


def test_two_runs_share_no_seed_and_no_block_of_mask():
    """Clients, sums and runs have seeds of their own, and masks meet in bytes by chance alone."""
    committee, count = Committee(5, 3), 20_000
    drawn = [
        ClientSeeds.of_study(secret, committee, sum_number, client)
        for secret in (b"a" * 32, b"b" * 32)
        for sum_number in (1, 2)
        for client in (0, 1)
    ]
    seeds = [seed for client in drawn for seed in (*client.seeds, client.pair.private)]
    assert len(set(seeds)) == len(seeds) == 8 * 11
    masks = [client.mask(SUM_NUMBER, count) for client in drawn]
    blocks = [block.tobytes() for mask in masks for block in mask.reshape(-1, 2)]
    assert len(set(blocks)) == len(blocks)
    for first, second in combinations(masks, 2):
        equal = int((first.view(np.uint8) == second.view(np.uint8)).sum())
        assert equal <= binom.isf(1e-6, 8 * count, 1 / 256)


def test_a_sum_decodes_to_the_sum_of_values():
    values = np.random.default_rng(2).normal(size=(3, 10))
    total = sum_by_members(Committee(3, 2), (0, 1, 2), to_ring(values), [0, 1, 2], WORD)
    wanted = np.rint(values * 2.0**24).sum(axis=0) / 2.0**24
    assert np.array_equal(from_ring(total), wanted)
