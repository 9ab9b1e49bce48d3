"""Schedules: what every epoch visits, and with which weights."""

import numpy as np
import pytest
from fbftl.methods.released import Positions
from fbftl.training.batches import observed, reshuffled, rounds, shuffled
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 50), st.integers(1, 20), st.integers(1, 10))
def test_shuffled_visits_every_row_equally_often(count, batch, epochs):
    rows = np.arange(count) * 3
    steps = -(-count // batch)
    chosen = np.concatenate(
        [e.rows[:, 0][e.weights[:, 0] > 0] for e in shuffled([rows], batch, steps, epochs, [0])]
    )
    assert len(chosen) == steps * epochs * min(batch, count)
    times_taken = np.bincount(chosen, minlength=rows.max() + 1)[rows]
    assert times_taken.max() - times_taken.min() <= 1
    assert set(chosen) <= set(rows)


def test_step_weights_sum_to_one_for_every_seed():
    rows = [np.arange(100), np.arange(3), np.arange(0)]
    for epoch in shuffled(rows, 16, 4, 2, [0, 1, 2]):
        assert epoch.weights.sum(axis=2) == pytest.approx(
            np.broadcast_to([1, 1, 0], (4, 3)), abs=1e-6
        )


def test_reshuffled_loses_whole_batches_and_other_samples_every_pass():
    """Of 16 batches 14 are lost at 0.9: two arrive in a pass, full as all of its batches are."""
    rows, passes = np.arange(1024), 30
    seen = np.zeros((1, 1024), dtype=bool)
    epochs = list(observed(reshuffled([rows], 0.9, 64, 2, passes, [0]), seen))
    for epoch in epochs:
        assert epoch.weights == pytest.approx(1 / 64)
        assert len(np.unique(epoch.rows)) == 128
    assert seen.mean() == pytest.approx(1 - (1 - 1 / 8) ** passes, abs=0.03)


def test_of_one_batch_nothing_is_lost():
    few, many = np.arange(10), np.arange(10, 110)
    for epoch in reshuffled([few, many], 0.99, 32, 4, 2, [0, 1]):
        assert epoch.rows.shape == (4, 2, 32)
        assert (epoch.weights[:, 0] > 0).sum(axis=1).tolist() == [10] * 4
        assert epoch.weights.sum(axis=2) == pytest.approx(1)


def test_reshuffled_loses_the_positions_that_the_released_method_loses():
    rows = np.arange(1000)
    released = Positions(rows, 64, 0.7, 5)
    expected = [batch for _ in range(3) for batch in released.epoch()]
    (epoch,) = reshuffled([rows], 0.7, 64, len(expected), 1, [5])
    for step, batch in enumerate(expected):
        assert epoch.rows[step, 0, : len(batch)].tolist() == batch.tolist()


def test_rounds_visit_every_client_once_with_all_its_samples():
    clients = [np.arange(0, 5), np.arange(5, 8), np.arange(8, 9), np.arange(9, 16)]
    for epoch in rounds(clients, 3, 4, seed=0):
        assert epoch.rows.shape == (2, 3, 7)
        assert sorted(epoch.clients.ravel()) == [-1, -1, 0, 1, 2, 3]
        for client, rows, present in zip(
            epoch.clients.ravel(), epoch.rows.reshape(6, 7), epoch.present.reshape(6, 7),
            strict=True,
        ):  # fmt: skip
            assert list(rows[present]) == (list(clients[client]) if client >= 0 else [])
