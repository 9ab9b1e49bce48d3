"""Schedules: what every epoch visits, and with which weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fbftl.batches import observed, reshuffled, rounds, shuffled


@given(st.integers(1, 50), st.integers(1, 20), st.integers(1, 10))
def test_shuffled_visits_every_row_equally_often(count: int, batch: int, epochs: int) -> None:
    rows = np.arange(count) * 3
    steps = -(-count // batch)
    chosen = np.concatenate(
        [e.rows[:, 0][e.weights[:, 0] > 0] for e in shuffled([rows], batch, steps, epochs, [0])]
    )
    assert len(chosen) == steps * epochs * min(batch, count)
    visits = np.bincount(chosen, minlength=rows.max() + 1)[rows]
    assert visits.max() - visits.min() <= 1
    assert set(chosen) <= set(rows)


def test_step_weights_sum_to_one_for_every_seed() -> None:
    rows = [np.arange(100), np.arange(3), np.arange(0)]
    for epoch in shuffled(rows, 16, 4, 2, [0, 1, 2]):
        assert epoch.weights.sum(axis=2) == pytest.approx(
            np.broadcast_to([1, 1, 0], (4, 3)), abs=1e-6
        )


def test_seeds_keep_their_order_whatever_runs_beside_them() -> None:
    rows = np.arange(40)
    (alone,) = shuffled([rows], 8, 5, 1, [7])
    (beside,) = shuffled([rows[:9], rows], 8, 5, 1, [3, 7])
    assert (alone.rows[:, 0] == beside.rows[:, 1]).all()


def test_reshuffled_loses_positions_not_samples() -> None:
    rows, loss = np.arange(1000), 0.9
    arrives = np.random.default_rng(0).random(1000) >= loss
    seen = np.zeros((1, 1000), dtype=bool)
    epochs = list(observed(reshuffled([rows], [arrives], 64, 30, [0]), seen))
    per_epoch = [(epoch.weights > 0).sum() for epoch in epochs]
    assert set(per_epoch) == {arrives.sum()}
    expected = 1 - (1 - arrives.mean()) ** 30
    assert seen.mean() == pytest.approx(expected, abs=0.03)


def test_rounds_visit_every_client_once_with_all_its_samples() -> None:
    clients = [np.arange(0, 5), np.arange(5, 8), np.arange(8, 9), np.arange(9, 16)]
    for epoch in rounds([clients], 3, 4, [0]):
        assert epoch.rows.shape == (2, 1, 3 * 7)
        visited = epoch.rows[epoch.weights > 0]
        assert sorted(visited) == list(range(16))
        by_place = epoch.rows.reshape(2, 3, 7)
        used = epoch.weights.reshape(2, 3, 7) > 0
        groups = [tuple(by_place[t, c][used[t, c]]) for t in range(2) for c in range(3)]
        assert {g for g in groups if g} == {tuple(c) for c in clients}
        assert epoch.weights.sum(axis=2) == pytest.approx(1)
