"""No attack shows more of a training sample than private descent's stated epsilon allows."""

import numpy as np
import pytest
import torch
from fbftl.attacks.membership import (
    Population,
    Scores,
    least_epsilon,
    lira,
    log_probabilities,
)
from fbftl.models.heads import stacked
from fbftl.privacy.accounting import gaussian_epsilon, schedule_budget
from fbftl.privacy.schedules import exponential, uniform
from fbftl.training.clipped import logits_of
from fbftl.training.private_descent import Descent, OwnSamples, descend

HEADS, SAMPLES, WIDTH, STEPS, CLIP, DELTA = 200, 40, 12, 20, 1.0, 1e-5


def bound(multipliers: np.ndarray) -> float:
    """Return what LiRA proves epsilon to be at least, on heads of random halves of few samples."""
    draws = np.random.default_rng(0)
    values = torch.from_numpy(draws.normal(size=(SAMPLES, WIDTH)).astype(np.float32))
    labels = torch.from_numpy(draws.integers(2, size=SAMPLES))
    member = draws.random((HEADS, SAMPLES)) < 0.5
    rows = [np.flatnonzero(own) for own in member]
    noise = np.repeat(multipliers[:, None], HEADS, axis=1)
    heads = descend(
        lambda seeds: stacked([WIDTH, 8, 1], [0] * len(seeds), torch.device("cpu")),
        OwnSamples(values, labels, rows),
        range(HEADS),
        Descent(noise, CLIP, learning_rate=4.0),
    ).head
    with torch.no_grad():
        logits = logits_of(heads(values.expand(HEADS, -1, -1))).numpy()
    own, rest = zip(*(log_probabilities(one, labels.numpy()) for one in logits), strict=True)
    scores = lira(Population(np.stack(own) - np.stack(rest), member, ~member), online=True)
    halves = (
        Scores(scores[half][member[half]], scores[half][~member[half]])
        for half in (slice(None, None, 2), slice(1, None, 2))
    )
    return least_epsilon(*halves, DELTA, confidence=0.95)


@pytest.mark.parametrize("schedule", ["uniform", "exp"])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_lira_proves_no_more_than_the_stated_epsilon(schedule, epsilon):
    budget = schedule_budget(epsilon, DELTA, "exact")
    made = uniform(budget, STEPS) if schedule == "uniform" else exponential(budget, STEPS, 10.0)
    assert bound(made) <= epsilon


def test_lira_proves_more_than_an_epsilon_that_too_little_noise_would_state():
    """Else the test before could not fail: noise so small that hardly anything is hidden."""
    assert bound(np.full(STEPS, 0.05)) > 0.5
    assert gaussian_epsilon(0.05 / STEPS**0.5, DELTA, "add-remove") > 0.5
