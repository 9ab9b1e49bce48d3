import numpy as np
import pytest
from fbftl.attacks.membership import (
    Scores,
    auc,
    confidence,
    least_epsilon,
    log_probabilities,
    losses,
    threshold_at,
)
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from hypothesis import given
from hypothesis import strategies as st

scores = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=8)


@given(scores, scores)
def test_the_area_under_the_curve_equals_its_definition(members, others):
    pairs = [(m > o) + (m == o) / 2 for m in members for o in others]
    assert auc(members, others) == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize(("members", "others"), [([], [1.0]), ([1.0], []), ([np.nan], [1.0])])
def test_scores_that_are_missing_are_refused(members, others):
    with pytest.raises(UserError, match="scores of members"):
        auc(members, others)


def test_losses_and_confidence_follow_from_the_softmax():
    logits = np.array([[0.0, 0.0], [0.0, 2.0], [1e3, -1e3]])
    labels = np.array([0, 0, 0])
    p = 1 / (1 + np.exp(2.0))
    np.testing.assert_allclose(losses(logits, labels), [np.log(2), -np.log(p), 0.0], atol=1e-12)
    np.testing.assert_allclose(confidence(logits, labels), [0.0, -2.0, 2e3], atol=1e-9)


def test_rates_rest_on_ten_false_positives():
    others = np.arange(1000.0)
    assert threshold_at(others, 0.01) == 989.0
    assert (others > 989.0).sum() == 10
    assert threshold_at(others, 0.009) is None


def logistic(epsilon: float, count: int, seed: int) -> Scores:
    """Answers of randomised response, whose epsilon is exact: a yes is a score of 1."""
    rng, keep = stream(seed, "test"), np.exp(epsilon) / (1 + np.exp(epsilon))
    yes = rng.random(count) < keep
    no = rng.random(count) > keep
    return Scores(yes.astype(float), no.astype(float))


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
def test_the_bound_on_epsilon_holds_and_is_close_for_randomised_response(epsilon):
    bounds = [
        least_epsilon(logistic(epsilon, 4000, 2 * s), logistic(epsilon, 4000, 2 * s + 1), 0.0, 0.95)
        for s in range(40)
    ]
    assert np.mean(np.array(bounds) > epsilon) <= 0.1  # 5 % of forty, and what chance adds
    assert np.median(bounds) > epsilon - 0.35


def test_a_bound_is_of_targets_that_chose_no_threshold():
    sure, blind = Scores(np.ones(100), np.zeros(100)), Scores(np.zeros(100), np.zeros(100))
    assert least_epsilon(sure, sure, 0.0, 0.95) > 3
    assert least_epsilon(sure, blind, 0.0, 0.95) == 0


def test_delta_is_not_charged_as_epsilon():
    """A test that is certain for a share delta of the members bounds no epsilon."""
    rng = stream(0, "test")
    sure = Scores((rng.random(20_000) < 0.05).astype(float), np.zeros(20_000))
    assert least_epsilon(sure, sure, 0.06, 0.95) == 0.0
    assert least_epsilon(sure, sure, 0.0, 0.95) > 3


def test_a_class_that_is_never_predicted_leaves_confidence_finite():
    logits = [[0.5, -np.inf, 2.0], [-np.inf, -np.inf, -np.inf]]
    of_label, rest = log_probabilities(logits, [1, 0])
    assert np.isfinite(of_label).all()
    assert np.isfinite(rest).all()
    assert of_label[0] < -15
    assert of_label[1] == pytest.approx(-np.log(3))
