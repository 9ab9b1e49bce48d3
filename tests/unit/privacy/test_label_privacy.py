import itertools
from math import factorial, log2
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.ground.randomness import stream
from fbftl.privacy.label_privacy import (
    batch_entropy,
    batch_types,
    empirical_entropy,
    estimate,
    sample_types,
    truncated_entropy,
    type_keys,
    type_ranks,
    uniform,
)
from hypothesis import given, settings
from hypothesis import strategies as st

PUBLISHED = Path(__file__).parents[3] / "published" / "fbftl" / "fig11.csv"


def all_types(classes: int, samples: int) -> np.ndarray:
    """Every count vector in ascending lexicographic order, by brute force."""
    vectors = itertools.product(range(samples + 1), repeat=classes)
    return np.array([v for v in vectors if sum(v) == samples])


def brute_force_entropy(distribution: np.ndarray, samples: int) -> float:
    entropy = 0.0
    for counts in all_types(len(distribution), samples):
        p = float(factorial(samples))
        for n, share in zip(counts.tolist(), distribution, strict=True):
            p *= share**n / factorial(n)
        entropy -= p * log2(p) if p > 0 else 0.0
    return entropy


@pytest.mark.parametrize("classes", range(1, 6))
@pytest.mark.parametrize("samples", range(1, 7))
def test_closed_form_equals_enumeration(classes, samples):
    rng = stream(1, "test", classes, samples)
    for p in (
        uniform(classes),
        rng.dirichlet(np.ones(classes)),
        rng.dirichlet(np.full(classes, 0.2)),
    ):
        assert batch_entropy(p, samples) == pytest.approx(
            brute_force_entropy(p, samples), abs=1e-10
        )


@pytest.mark.parametrize(("classes", "samples"), [(1, 3), (2, 5), (3, 4), (5, 3)])
def test_ranks_count_the_types_in_lexicographic_order(classes, samples):
    types = all_types(classes, samples)
    assert len(types) == batch_types(classes, samples)
    assert type_ranks(types, samples).tolist() == list(range(len(types)))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(1, 60), st.integers(0, 2**32))
def test_keys_are_equal_exactly_for_equal_types(classes, samples, seed):
    counts = np.random.default_rng(seed).multinomial(samples, uniform(classes), size=60)
    counts = np.concatenate([counts, counts[::3]])
    keys = type_keys(counts)
    rows = [tuple(row) for row in counts.tolist()]
    same_rows = [[a == b for b in rows] for a in rows]
    same_keys = [[a == b for b in keys.tolist()] for a in keys.tolist()]
    assert same_rows == same_keys


def test_types_beyond_63_bits_are_still_counted():
    assert batch_types(200, 300) > 2**63
    counts = np.zeros((4, 200), dtype=int)
    counts[[0, 1, 2, 3], [0, 0, 5, 199]] = 300
    assert empirical_entropy(type_keys(counts)) == pytest.approx(1.5)


def test_truncation_reproduces_every_published_point():
    """A1: the published points are one draw each of the sum over the first U types."""
    published = pd.read_csv(PUBLISHED)
    for point in published[published["series"] == "queried"].itertuples():
        k, clients = point.K, int(point.UK) // point.K
        draws = [
            truncated_entropy(sample_types(uniform(10), k, clients, stream(3, "test", k, r)))
            for r in range(6)
        ]
        reproduced = estimate(draws)
        assert abs(float(point.printed) - reproduced.mean) <= 4 * reproduced.spread + 1e-3, point.id
    for point in published[published["series"] == "prior"].itertuples():
        assert float(point.printed) == pytest.approx(batch_entropy(uniform(10), point.K), abs=1e-5)
