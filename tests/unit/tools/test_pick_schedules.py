"""Schedules are picked on Gaussian points, in which nothing is private."""

import numpy as np
import pytest
import torch
from pick_schedules import Scene, candidates

SCENE = Scene(rows=30, columns=6, hidden=4, scale=10.0, epsilon=4.0, momentum=0.0, seeds=2)


def test_points_are_centred_and_as_long_as_the_scale():
    samples = SCENE.points()
    for rows in samples.rows:
        values = samples.values[torch.from_numpy(rows)]
        assert float(values.norm(dim=1).max()) == pytest.approx(10, rel=1e-5)
        assert values.mean(0).abs().max() < 1e-5
        spread = values.std(0)
        torch.testing.assert_close(spread, spread[:1].expand_as(spread), rtol=1e-4, atol=0)
        assert np.bincount(samples.labels[torch.from_numpy(rows)]).tolist() == [15, 15]


def test_every_schedule_meets_every_number_of_steps():
    offered = list(candidates(["uniform", "exp"], [5, 10], [3.0, 10.0]))
    assert [each for each in offered if each[0] == "uniform"] == [
        ("uniform", 5, 1),
        ("uniform", 10, 1),
    ]
    assert len(offered) == 6


def test_a_larger_budget_leaves_less_loss():
    strict, loose = (Scene(200, 6, 4, 10.0, epsilon, 0.0, 2) for epsilon in (0.05, 8.0))
    points = strict.points()
    assert loose.loss(points, "uniform", 50, 1.0) < strict.loss(points, "uniform", 50, 1.0)
