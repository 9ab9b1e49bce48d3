"""Schedules: what every epoch visits, and with which weights."""

import numpy as np
import pytest
from fbftl.batches import observed, reshuffled, rounds, shuffled
from hypothesis import given
from hypothesis import strategies as st


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
    for epoch in rounds(clients, 3, 4, seed=0):
        assert epoch.rows.shape == (2, 3, 7)
        assert sorted(epoch.clients.ravel()) == [-1, -1, 0, 1, 2, 3]
        for client, rows, present in zip(
            epoch.clients.ravel(), epoch.rows.reshape(6, 7), epoch.present.reshape(6, 7),
            strict=True,
        ):  # fmt: skip
            assert list(rows[present]) == (list(clients[client]) if client >= 0 else [])


def test_a_lost_update_leaves_the_mean_to_the_others() -> None:
    clients = [np.arange(0, 2), np.arange(2, 6)]
    (epoch,) = rounds(clients, 2, 1, seed=0)
    everything = epoch.weights(np.ones((1, 2), dtype=bool))
    assert everything[epoch.present] == pytest.approx(1 / 6)
    lost = epoch.weights(epoch.clients != 0)
    assert lost.sum() == pytest.approx(1)
    assert lost[epoch.clients == 0].sum() == 0
    assert epoch.weights(np.zeros((1, 2), dtype=bool)).sum() == 0
