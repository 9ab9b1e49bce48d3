"""Participation, validation split, and independence of the random streams."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fbftl.data.participation import LEAST_HELD_OUT, Partition, clients_of, held_out, participating
from fbftl.data.partition import deal
from fbftl.ground.randomness import stream, torch_seed
from fbftl.study.clients import Dealing
from fbftl.study.settings import Setting
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 30), st.floats(0.01, 1.0), st.integers(0, 5))
def test_whole_clients_take_part(clients, fraction, seed):
    client = np.repeat(np.arange(clients), 3)
    rows = participating(client, fraction, seed)
    assert len(np.unique(client[rows])) == max(1, round(fraction * clients))
    assert len(rows) == 3 * len(np.unique(client[rows]))


def test_a_smaller_fraction_is_part_of_a_larger_one():
    client = np.repeat(np.arange(40), 5)
    assert set(participating(client, 0.1, 3)) < set(participating(client, 0.5, 3))


@given(st.integers(0, 200), st.floats(0, 0.5))
def test_held_out_splits_exactly(count, share):
    rows = np.arange(count) + 7
    training, validation = held_out(rows, share, 0)
    wanted = int(share * count)
    assert len(validation) == (wanted if wanted >= LEAST_HELD_OUT else 0)
    assert sorted([*training, *validation]) == list(rows)


def test_streams_of_concerns_seeds_and_keys_differ_and_repeat():
    numbers = {stream(*key).integers(2**60) for key in [(0, "a"), (0, "b"), (1, "a"), (0, "a", 1)]}
    assert len(numbers) == 4
    assert stream(0, "a").random() == stream(0, "a").random()
    assert 0 <= torch_seed(0, "a") < 2**63


LABELS = np.random.default_rng(0).permutation(np.arange(240) % 10)
HELD = Partition(np.repeat(np.arange(30), 8), LABELS, np.arange(240) % 2)
BLOCK = {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 3}
BLOCK |= {"shards_per_client": 2, "alpha": 0.1}


def dealt_to(seed: int, draw: str = "once", **axes: Any) -> np.ndarray:
    """Return the client of every sample under a setting's axes, in one domain."""
    clients, setting = BLOCK | {"draw": draw}, Setting(**axes)
    job = SimpleNamespace(clients=clients, setting=setting, dealing=Dealing.of(clients, setting))
    return clients_of(job, replace(HELD, domain=None), seed)


AXES = [
    ({"samples_per_client": 20}, {"samples_per_client": 20}),
    ({"clients": 7}, {"clients": 7, "samples_per_client": None}),
    ({"partition": "shards"}, {"partition": "shards"}),
    ({"partition": "dirichlet", "alpha": 2.0}, {"partition": "dirichlet", "alpha": 2.0}),
    ({"partition": "dirichlet"}, {"partition": "dirichlet"}),
]


@pytest.mark.parametrize(("axes", "changes"), AXES)
def test_axes_stand_in_the_place_of_the_task_s_keys(axes, changes):
    for seed in (0, 1):
        wanted = deal(LABELS, BLOCK | changes, 3)
        np.testing.assert_array_equal(dealt_to(seed, **axes), wanted)
        wanted = deal(LABELS, BLOCK | changes, seed)
        np.testing.assert_array_equal(dealt_to(seed, "per_seed", **axes), wanted)


def test_per_seed_deals_the_task_s_own_partition_anew():
    first, second = (dealt_to(seed, "per_seed") for seed in (0, 1))
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(np.bincount(first), np.bincount(second))
    np.testing.assert_array_equal(dealt_to(0, "per_seed"), first)


def test_partition_faults_anew_stays_inside_the_domains():
    block = BLOCK | {"draw": "per_seed", "domains": ["plain", "inverted"]}
    setting = Setting(partition="shards", clients=9)
    job = SimpleNamespace(clients=block, setting=setting, dealing=Dealing.of(block, setting))
    client = clients_of(job, HELD, 1)
    seen = [np.unique(HELD.domain[client == u]).tolist() for u in range(9)]
    assert seen == [[0]] * 5 + [[1]] * 4
