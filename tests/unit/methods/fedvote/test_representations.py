"""Similarity of representations: by its definition, what leaves it unchanged, what it estimates."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.fedvote.sources import SKETCHED, cka, sketched


def features(n: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, width))


def by_definition(x: np.ndarray, y: np.ndarray) -> float:
    """Biased linear CKA with the centring matrix written out."""
    n = len(x)
    h = np.eye(n) - 1 / n
    hsic = [np.trace(a @ a.T @ h @ b @ b.T @ h) for a, b in ((x, y), (x, x), (y, y))]
    return hsic[0] / np.sqrt(hsic[1] * hsic[2])


def unbiased_by_sums(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """Song et al.'s estimate as a sum over distinct samples."""
    n, total = len(k), 0.0
    for i in range(n):
        for j in set(range(n)) - {i}:
            total += k[i, j] * l[i, j] / (n * (n - 1))
            for q in set(range(n)) - {i, j}:
                total -= 2 * k[i, j] * l[i, q] / (n * (n - 1) * (n - 2))
                for r in set(range(n)) - {i, j, q}:
                    total += k[i, j] * l[q, r] / (n * (n - 1) * (n - 2) * (n - 3))
    return total


def test_it_is_its_definition():
    x, y = features(7, 3, 0), features(7, 4, 1) + features(7, 3, 0)[:, :1]
    assert cka(x, y, unbiased=False) == pytest.approx(by_definition(x, y))
    k, l = x @ x.T, y @ y.T  # noqa: E741
    hsic = [unbiased_by_sums(a, b) for a, b in ((k, l), (k, k), (l, l))]
    assert cka(x, y) == pytest.approx(hsic[0] / np.sqrt(hsic[1] * hsic[2]))


def test_constant_features_are_like_nothing_and_few_samples_refused():
    assert cka(np.ones((6, 2)), features(6, 2, 0)) == 0.0
    with pytest.raises(UserError, match="by 3 samples"):
        cka(features(3, 2, 0), features(3, 2, 1))


def test_a_sketch_is_near_the_whole():
    x = features(2000, 6, 4)
    y = x[:, :3] + features(2000, 3, 5)
    rows = sketched(np.arange(2000), 0, 7)
    assert len(set(rows)) == SKETCHED
    assert cka(x[rows], y[rows]) == pytest.approx(cka(x, y), abs=0.05)
    assert sketched(np.arange(SKETCHED), 0, 7).tolist() == list(range(SKETCHED))
