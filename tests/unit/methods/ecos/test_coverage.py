"""Clusters, counts, shares and picks, each against brute force or an exhaustive search."""

from itertools import product

import numpy as np
import pytest
from fbftl.methods.ecos.coverage import (
    Clusters,
    capped,
    farthest_first,
    greedy,
    nearest,
    picked,
    printed,
    scaled,
)
from hypothesis import given
from hypothesis import strategies as st

ROWS = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
SIZES = st.lists(st.integers(0, 5), min_size=3, max_size=3).map(np.array)
WEIGHTS = st.lists(st.integers(0, 6), min_size=3, max_size=3).map(
    lambda halves: np.array(halves) / 2
)


def test_nearest_centroids_are_those_of_brute_force():
    centroids = ROWS[::7]
    distances = ((ROWS[:, None].astype(np.float64) - centroids[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(nearest(ROWS, centroids), distances.argmin(axis=1))


def quotas(weights: np.ndarray, sizes: np.ndarray, total: int) -> np.ndarray:
    """Return min(size, λ weight) with the λ at which they sum to the total, by bisection."""
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        short = np.minimum(sizes, middle * weights).sum() < total
        low, high = (middle, high) if short else (low, middle)
    return np.minimum(sizes, high * weights)


@given(WEIGHTS, SIZES, st.integers(0, 12))
def test_capped_shares_are_the_nearest_whole_ones_to_the_proportional(weights, sizes, purchase):
    shares_found = capped(weights, sizes, purchase)
    offered = np.where(weights > 0, sizes, 0)
    total = min(purchase, offered.sum())
    assert shares_found.sum() == total
    assert (shares_found <= offered).all()
    wanted = quotas(weights, offered, total)
    least = min(
        ((np.array(shares) - wanted) ** 2).sum()
        for shares in product(*(range(size + 1) for size in offered))
        if sum(shares) == total
    )
    assert ((shares_found - wanted) ** 2).sum() == pytest.approx(least, abs=1e-6)


@given(st.lists(st.integers(1, 40), min_size=4, max_size=4), st.integers(1, 50))
def test_printed_shares_fall_short_as_their_formula_says(counts, purchase):
    weights, sizes = np.array(counts, dtype=float), np.array([50, 60, 5, 200])
    share = np.minimum(sizes / sizes.sum(), weights / weights.sum()).sum()
    assert printed(weights, sizes, purchase).sum() == int(purchase * share + 0.5)
    assert capped(weights, sizes, purchase).sum() == purchase


@given(WEIGHTS, SIZES, st.integers(0, 12))
def test_greedy_shares_take_the_heaviest_clusters_whole(weights, sizes, purchase):
    shares = greedy(weights, sizes, purchase)
    assert shares.sum() == min(purchase, sizes.sum())
    for first, second in product(range(3), range(3)):
        if weights[first] > weights[second] and shares[second]:
            assert shares[first] == sizes[first]


def test_counts_below_nothing_buy_nothing_and_without_any_all_count_alike():
    np.testing.assert_allclose(scaled(np.array([-3.0, 2.0, 4.0]), 2), [0, 0.25, 1])
    np.testing.assert_array_equal(scaled(np.array([-1.0, 0.0]), 5), [1, 1])
    weights = scaled(np.array([1.0, 2.0, 5.0]), 1)
    assert capped(weights, np.array([9, 0, 3]), 8).tolist() == [5, 0, 3]


def brute(values: np.ndarray, count: int, first: int) -> list[int]:
    chosen = [first]
    while len(chosen) < count:
        rest = [row for row in range(len(values)) if row not in chosen]
        least = [
            min(((values[row] - values[picked]) ** 2).sum() for picked in chosen) for row in rest
        ]
        chosen.append(rest[int(np.argmax(least))])
    return chosen


@pytest.mark.parametrize("first", [0, 17])
def test_farthest_first_picks_what_brute_force_picks(first):
    assert farthest_first(ROWS, 20, first).tolist() == brute(ROWS.astype(np.float64), 20, first)
    assert sorted(farthest_first(np.ones((4, 2), np.float32), 4, 2)) == [0, 1, 2, 3]


@pytest.mark.parametrize("diverse", [True, False])
def test_so_many_different_rows_of_each_cluster_are_picked(diverse):
    clusters = Clusters(ROWS[:4], np.arange(60) % 3)  # the last cluster is empty
    shares = np.array([20, 5, 0, 0])
    rows = picked(ROWS, clusters, shares, diverse, seed=1)
    assert len(set(rows.tolist())) == 25
    np.testing.assert_array_equal(np.bincount(clusters.member[rows], minlength=4), shares)
    assert picked(ROWS, clusters, np.zeros(4, int), diverse, seed=1).tolist() == []
