import numpy as np
import pytest
import torch
from fbftl.attacks.membership import confidence, losses, separation, shadow_scores
from fbftl.attacks.networks import multilayer, tensor
from fbftl.attacks.shadow import ShadowTraining, fit, shadow_logits
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from hypothesis import given, settings
from hypothesis import strategies as st

scores = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=8)


@settings(deadline=None)
@given(scores, scores)
def test_separation_equals_its_definition(members, others):
    pairs = [(m > o) + (m == o) / 2 for m in members for o in others]
    rates = [
        np.mean([m > t for m in members]) - np.mean([o > t for o in others])
        for t in [*members, *others]
    ]
    result = separation(members, others)
    assert result.auc == pytest.approx(np.mean(pairs))
    # Thresholds lie just above a score or just below it, where all others are the same.
    below = [
        np.mean([m >= t for m in members]) - np.mean([o >= t for o in others])
        for t in [*members, *others]
    ]
    assert result.advantage == pytest.approx(max(0.0, *rates, *below))


def test_certain_and_blind_adversaries():
    assert separation([2, 3], [0, 1]).auc == 1.0
    assert separation([2, 3], [0, 1]).advantage == 1.0
    assert separation([1, 1], [1, 1]).auc == 0.5
    assert separation([1, 1], [1, 1]).advantage == 0.0


@pytest.mark.parametrize(("members", "others"), [([], [1.0]), ([1.0], []), ([np.nan], [1.0])])
def test_scores_that_are_missing_are_refused(members, others):
    with pytest.raises(UserError, match="scores of members"):
        separation(members, others)


def test_losses_and_confidence_follow_from_the_softmax():
    logits = np.array([[0.0, 0.0], [0.0, 2.0], [1e3, -1e3]])
    labels = np.array([0, 0, 0])
    p = 1 / (1 + np.exp(2.0))
    np.testing.assert_allclose(losses(logits, labels), [np.log(2), -np.log(p), 0.0], atol=1e-12)
    np.testing.assert_allclose(confidence(logits, labels), [0.0, -2.0, 2e3], atol=1e-9)


def test_shadow_scores_take_out_how_easy_a_sample_is():
    """Target and shadows agree on what is easy, so only the member stands out."""
    easy = np.array([5.0, 0.0, -5.0])
    shadows = np.stack([np.stack([easy + d, -easy - d], axis=1) for d in (-0.1, 0.1)])
    gained = easy + np.array([0, 0, 1])
    target = np.stack([gained, -gained], axis=1)
    found = shadow_scores(target, shadows, np.zeros(3, dtype=int))
    np.testing.assert_allclose(found[:2], 0.0, atol=1e-9)
    assert found[2] == pytest.approx(2 / 0.2)


@pytest.fixture(scope="module")
def overfitted() -> tuple[np.ndarray, ...]:
    """A head trained on 60 samples whose labels are largely chance."""
    rng = stream(0, "test")
    features = rng.normal(size=(360, 20)).astype(np.float32)
    labels = np.where(
        rng.random(360) < 0.5, (features[:, 0] > 0).astype(int), rng.integers(0, 2, 360)
    )
    head = multilayer((20, 32, 2), torch.Generator().manual_seed(0))
    fit(head, tensor(features[:60]), torch.as_tensor(labels[:60]), ShadowTraining(steps=150))
    with torch.inference_mode():
        logits = head(tensor(features[:120])).numpy()
    return features, labels, logits


def test_both_attacks_find_members_of_an_overfitted_head(overfitted):
    features, labels, logits = overfitted
    loss = losses(logits, labels[:120])
    assert separation(-loss[:60], -loss[60:]).auc > 0.7
    answers = shadow_logits(
        features[120:],
        labels[120:],
        features[:120],
        classes=2,
        seed=0,
        training=ShadowTraining(models=4, hidden=(32,), steps=60),
    )
    assert answers.shape == (4, 120, 2)
    found = shadow_scores(logits, answers, labels[:120])
    assert separation(found[:60], found[60:]).auc > 0.7


def test_shadow_models_repeat_by_seed(overfitted):
    features, labels, _ = overfitted
    short = ShadowTraining(models=2, hidden=(4,), steps=2)
    first, again, other = (
        shadow_logits(features, labels, features[:5], classes=2, seed=s, training=short)
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert (first[0] != first[1]).any()


def test_a_pool_of_one_is_refused():
    with pytest.raises(UserError, match="at least 2 samples, got 1"):
        shadow_logits(np.zeros((1, 3)), [0], np.zeros((1, 3)), classes=2, seed=0)
