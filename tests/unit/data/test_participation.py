"""Participation, validation split, and independence of the random streams."""

import numpy as np
from fbftl.data.participation import LEAST_HELD_OUT, Uploads, held_out, participating
from fbftl.ground.randomness import stream, torch_seed
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 30), st.floats(0.01, 1.0), st.integers(0, 5))
def test_whole_clients_take_part(clients: int, fraction: float, seed: int) -> None:
    client = np.repeat(np.arange(clients), 3)
    rows = participating(client, fraction, seed)
    assert len(np.unique(client[rows])) == max(1, round(fraction * clients))
    assert len(rows) == 3 * len(np.unique(client[rows]))


def test_a_smaller_fraction_is_part_of_a_larger_one() -> None:
    client = np.repeat(np.arange(40), 5)
    assert set(participating(client, 0.1, 3)) < set(participating(client, 0.5, 3))


@given(st.integers(0, 200), st.floats(0, 0.5))
def test_held_out_splits_exactly(count: int, share: float) -> None:
    rows = np.arange(count) + 7
    training, validation = held_out(rows, share, 0)
    wanted = int(share * count)
    assert len(validation) == (wanted if wanted >= LEAST_HELD_OUT else 0)
    assert sorted([*training, *validation]) == list(rows)


def test_received_are_the_offered_that_arrive() -> None:
    sent = Uploads(np.array([3, 5, 8]), np.array([True, False, True]))
    assert list(sent.received) == [3, 8]


def test_streams_of_concerns_seeds_and_keys_differ_and_repeat() -> None:
    drawn = {stream(*key).integers(2**60) for key in [(0, "a"), (0, "b"), (1, "a"), (0, "a", 1)]}
    assert len(drawn) == 4
    assert stream(0, "a").random() == stream(0, "a").random()
    assert 0 <= torch_seed(0, "a") < 2**63
