"""No attack shows more of a training sample than a mechanism's stated epsilon allows.

Under each model of trust: features and labels noised by who has them, statistics noised on their
sum, steps noised by a trusted server.
"""

import numpy as np
import pytest
import torch
from fbftl.attacks.choice import attempt_all
from fbftl.attacks.shadows import population
from fbftl.messages.statistics import Statistics
from fbftl.methods.private_gd.clipping import logits_of
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend
from fbftl.models.heads import stacked
from fbftl.privacy.accounting import gaussian_epsilon, gaussian_sigma, schedule_budget
from fbftl.privacy.noise import add_gaussian, clip_rows, respond, sample_noise
from fbftl.privacy.schedules import exponential, uniform
from fbftl.privacy.statistics import statistics_guarantee, statistics_noise
from fbftl.training.closed_form import ridge

HEADS, SAMPLES, WIDTH, STEPS, CLIP, DELTA = 200, 40, 12, 20, 1.0, 1e-5
DRAWS = np.random.default_rng(0)
VALUES = DRAWS.normal(size=(SAMPLES, WIDTH)).astype(np.float32)
LABELS = DRAWS.integers(2, size=SAMPLES)
MEMBER = DRAWS.random((HEADS, SAMPLES)).argsort(axis=1) < SAMPLES // 2
"""Half of the samples behind each head, so that who is missing was replaced by another."""

ROWS = [np.flatnonzero(members) for members in MEMBER]


UNSEEN = DRAWS.normal(size=(SAMPLES, WIDTH)).astype(np.float32)
UNSEEN_LABELS = DRAWS.integers(2, size=SAMPLES)
"""What no head is trained on."""

READ = np.concatenate([VALUES, UNSEEN])


def proven(logits) -> float:
    """Return what the strongest attack proves epsilon to be at least, from every head's logits.

    Args:
        logits: of `READ` under each head.
    """
    inside, unseen = zip(*(np.split(each, 2) for each in logits), strict=True)
    models = population(inside, LABELS, ROWS, ROWS, unseen, UNSEEN_LABELS)
    return max(attempt.proven for attempt in attempt_all(models, DELTA, alarms=()))


def descended(multipliers: np.ndarray) -> float:
    """Attack heads of noisy descent."""
    heads = descend(
        lambda seeds: stacked([WIDTH, 8, 1], [0] * len(seeds), torch.device("cpu")),
        OwnSamples(torch.from_numpy(VALUES), torch.from_numpy(LABELS), ROWS),
        range(HEADS),
        Descent(np.repeat(multipliers[:, None], HEADS, axis=1), CLIP, learning_rate=4.0),
    ).head
    with torch.no_grad():
        return proven(logits_of(heads(torch.from_numpy(READ).expand(HEADS, -1, -1))).numpy())


def solved(statistics: Statistics) -> np.ndarray:
    """Return the logits of ridge regression, steep as a confident head's."""
    return 10 * ridge(statistics, [0.01]).head.scores(clip_rows(READ, CLIP))


def noised(sigma: float, label_epsilon: float) -> float:
    """Attack heads of features and labels that are noised one by one."""
    logits = []
    for seed, rows in enumerate(ROWS):
        features = add_gaussian(
            VALUES[rows], sample_noise(seed, rows, WIDTH), sigma=sigma, clip_norm=CLIP
        )
        labels = respond(LABELS[rows], rows, epsilon=label_epsilon, classes=2, seed=seed)
        logits.append(solved(Statistics.of(features, labels, 2)))
    return proven(logits)


def summed(std: float) -> float:
    """Attack heads of statistics whose sum is noised."""
    logits = []
    for seed, rows in enumerate(ROWS):
        numbers = Statistics.of(clip_rows(VALUES[rows], CLIP), LABELS[rows], 2).numbers()
        noisy = numbers + statistics_noise(std, len(numbers), seed)
        logits.append(solved(Statistics.of_numbers(noisy, 2, WIDTH)))
    return proven(logits)


EPSILON = 0.5
"""Far below what these attacks prove of too little noise."""


@pytest.mark.parametrize("schedule", ["uniform", "exp"])
def test_noisy_steps_show_no_more_than_they_state(schedule):
    budget = schedule_budget(EPSILON, DELTA, "exact")
    schedule_of_steps = (
        uniform(budget, STEPS) if schedule == "uniform" else exponential(budget, STEPS, 10.0)
    )
    assert descended(schedule_of_steps) <= EPSILON


@pytest.mark.parametrize("epsilon", [EPSILON, 4.0])
def test_features_and_labels_show_no_more_than_both_state(epsilon):
    assert noised(gaussian_sigma(epsilon / 2, DELTA), epsilon / 2) <= epsilon


def test_summed_statistics_show_no_more_than_they_state():
    guarantee = statistics_guarantee(
        clip_norm=CLIP, epsilon=EPSILON, sigma=None, delta=DELTA, central=True
    )
    assert summed(guarantee.noise_std) <= EPSILON


def test_attacks_prove_more_than_an_epsilon_that_too_little_noise_would_state():
    """Else the tests before could not fail: noise so small that hardly anything is hidden.

    How little too little is noticed `tests/unit/privacy/test_mechanism_audits.py` says.
    """
    assert descended(np.full(STEPS, 0.05)) > EPSILON
    assert gaussian_epsilon(0.05 / STEPS**0.5, DELTA, "add-remove") > EPSILON
    assert noised(0.01, 20.0) > EPSILON
    assert summed(0.01) > EPSILON
