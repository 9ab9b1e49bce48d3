"""LiRA and RMIA: ratios by closed forms, thresholds, and which attack is quoted."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from fbftl.attacks import choice
from fbftl.attacks.choice import (
    ATTACKS,
    CHANCE,
    OFFSETS,
    Attempt,
    Rate,
    Rmia,
    attempt_all,
    chosen,
    dominated,
    shared_spread,
    spread_per_sample,
    thresholds_for,
)
from fbftl.attacks.heads import GUESS, membership_findings, rows_of
from fbftl.attacks.membership import auc
from fbftl.attacks.shadows import Population, TargetView, against
from fbftl.ground.randomness import stream
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm, t
from unit.training.tasks.toy_task import job


def trained_on_halves(gain: float, models: int = 16, samples: int = 400, seed: int = 0):
    """Models whose confidence in a sample is how easy it is, noise, and `gain` if it was seen."""
    rng = stream(seed, "test")
    member = rng.random((models, samples)) < 0.5
    easy = 5 * rng.normal(size=samples)
    noise = rng.normal(size=(models, samples))
    unseen = 5 * rng.normal(size=samples) + rng.normal(size=(models, samples))
    return Population(easy + noise + gain * member, member, ~member, unseen)


def few_shadows(
    spread: np.ndarray, shadows: int, gain: float = 0.0, *, inside: int = 0, seed: int = 0
) -> TargetView:
    """The first model is the target, the rest are shadows: `inside` of them trained on all samples.

    Args:
        spread: (n,) standard deviation of each sample's confidence.
        shadows: number of shadows that saw no sample.
        gain: of a member, in units of its spread; half of the samples are the target's members.
        inside: number of shadows that saw every sample.
        seed: of the draws.
    """
    rng, samples = stream(seed, "test"), len(spread)
    member = np.zeros((1 + shadows + inside, samples), dtype=bool)
    member[0, ::2] = True
    member[1 + shadows :] = True
    noise = rng.normal(size=member.shape)
    confidence = 5 * rng.normal(size=samples) + spread * (noise + gain * member)
    models = Population(confidence, member, ~member, np.zeros((len(member), 1)))
    return against(models, 0, range(1, len(member)))


MANY_SAMPLES = 20_000
RARE = 0.01
BOTH = pytest.mark.parametrize("attack", [shared_spread, spread_per_sample])
SIDES = pytest.mark.parametrize("online", [False, True])


def rest(models: Population, target: int) -> TargetView:
    """Return what is known against a target whose shadows are all other models."""
    everyone = range(len(models.confidence))
    return against(models, target, [model for model in everyone if model != target])


@cache
def many() -> TargetView:
    """Two hundred shadows that saw every sample, and as many that saw none."""
    return few_shadows(np.full(MANY_SAMPLES, 2.0), 200, 1.0, inside=200)


def within(successes: int, trials: int, rate: float) -> bool:
    """Tell whether a binomial number lies within what one draw in ten thousand leaves."""
    low, high = binom.ppf([5e-5, 1 - 5e-5], trials, rate)
    return bool(low <= successes <= high)


def test_moments_are_those_of_the_shadows_alone():
    """Brute force, sample by sample; the target's confidence and membership are in none of them."""
    models = trained_on_halves(gain=1.0, models=7, samples=30)
    shadows = [0, 1, 4, 6]
    seen = against(models, 2, shadows)
    pairs = ((seen.inside, models.member), (seen.outside, models.other))
    for moments, which in pairs:
        for sample in range(30):
            values = models.confidence[shadows, sample][which[shadows, sample]]
            assert moments.count[sample] == len(values)
            if len(values):
                assert moments.mean[sample] == pytest.approx(values.mean())
                assert moments.squares[sample] == pytest.approx(
                    np.square(values - values.mean()).sum(), abs=1e-9
                )


@BOTH
@SIDES
def test_a_sample_that_no_shadow_can_tell_of_scores_nothing(attack, online):
    member = np.ones((3, 1), dtype=bool)
    models = Population(np.array([[1.0], [2.0], [3.0]]), member, ~member, np.zeros((3, 1)))
    assert [attack(rest(models, target), online=online).tolist() for target in range(3)] == [
        [0.0]
    ] * 3


def test_the_shared_ratio_is_the_logarithm_of_both_densities():
    seen = many()
    spreads = [
        np.sqrt(side.squares.sum() / (side.count - 1).sum()) for side in (seen.inside, seen.outside)
    ]
    expected = norm.logpdf(seen.confidence, seen.inside.mean, spreads[0]) - norm.logpdf(
        seen.confidence, seen.outside.mean, spreads[1]
    )
    np.testing.assert_allclose(shared_spread(seen, online=True), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shadows", [2, 3, 7])
@pytest.mark.parametrize("spread", [0.1, 10.0])
def test_a_spread_per_sample_keeps_the_rate_of_false_positives_however_few_shadows(shadows, spread):
    """Above the nominal threshold lie as many others as it states, for small and large spreads."""
    spreads = np.where(np.arange(MANY_SAMPLES) % 4 < 2, spread, 1.0)
    seen = few_shadows(spreads, shadows)
    high = spread_per_sample(seen, online=False) > norm.isf(RARE)
    for kept_spread in (spread, 1.0):
        others = high[(spreads == kept_spread) & ~seen.models.member[0]]
        assert within(int(others.sum()), len(others), RARE)


def test_the_ratio_of_a_spread_per_sample_is_that_of_both_predicted_densities():
    seen = few_shadows(np.exp(np.linspace(-2, 2, 200)), 5, 1.0, inside=3)

    def log_density(side, freedom):
        scale = np.sqrt(side.squares / freedom * (1 + 1 / (freedom + 1)))
        return t.logpdf(seen.confidence, freedom, side.mean, scale)

    expected = log_density(seen.inside, 2) - log_density(seen.outside, 4)
    np.testing.assert_allclose(spread_per_sample(seen, online=True), expected, atol=1e-9)


@pytest.mark.parametrize("offset", [None, 0.0, 0.3, 1.0])
def test_scores_are_the_share_of_pairs(offset):
    """Every x beside every z, as the authors' code counts them."""
    models, shadows = trained_on_halves(1.0, models=16, samples=50), [0, 1, 2, *range(4, 16)]
    target, p = 3, 1 / (1 + np.exp(-models.confidence))
    z = 1 / (1 + np.exp(-models.unseen))
    expected = []
    for x in range(50):
        outside, inside = (
            np.mean([p[k, x] for k in shadows if which[k, x]])
            for which in (models.other, models.member)
        )
        a = offset or 0.0
        mean_x = (inside + outside) / 2 if offset is None else (1 + a) / 2 * outside + (1 - a) / 2
        hits = 0
        for each in range(50):
            mean_z = np.mean([z[k, each] for k in shadows])
            if offset is not None:
                mean_z = (1 + a) / 2 * mean_z + (1 - a) / 2
            hits += (p[target, x] / mean_x) / (z[target, each] / mean_z) > 1
        expected.append(hits / 50)
    scores = Rmia(offset)(against(models, target, shadows))
    np.testing.assert_array_equal(scores, expected)


ratios = st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=8)


@given(ratios, ratios, st.sampled_from([1.0, 2.0]))
def test_a_candidate_dominates_strictly(candidates, references, gamma):
    shares = [np.mean([x / z > gamma for z in references]) for x in candidates]
    result = dominated(np.array(candidates), np.array(references), gamma)
    np.testing.assert_allclose(result, shares)


@pytest.mark.parametrize("offset", [None, 0.3])
def test_probabilities_of_nearly_nothing_give_numbers(offset):
    models = trained_on_halves(0.0, models=5, samples=20)
    far = Population(1e3 * models.confidence, models.member, models.other, 1e3 * models.unseen)
    scores = Rmia(offset)(against(far, 0, [1, 2, 3, 4]))
    assert np.isfinite(scores).all()


def test_a_sample_without_shadows_on_one_side_is_compared_with_the_target_itself():
    member = np.zeros((3, 2), dtype=bool)
    member[1:, 0] = True
    models = Population(np.ones((3, 2)), member, ~member, np.zeros((3, 4)))
    seen = against(models, 0, [1, 2])
    np.testing.assert_array_equal(seen.probability_outside, seen.probability)
    np.testing.assert_array_equal(seen.probability_inside, seen.probability)


ALARMS = 0.02
MODELS, SAMPLES = 12, 3000


def uneven(gain: float, seed: int = 0) -> Population:
    """Models whose confidences have another spread for each sample."""
    models = trained_on_halves(gain, MODELS, SAMPLES, seed)
    spread = np.exp(np.linspace(-1, 1, SAMPLES))
    return Population(spread * models.confidence, models.member, models.other, models.unseen)


@pytest.fixture(scope="module")
def without_signal() -> list[Attempt]:
    return attempt_all(uneven(0.0), 1e-5, [ALARMS])


@pytest.fixture(scope="module")
def with_signal() -> list[Attempt]:
    return attempt_all(uneven(2.0), 1e-5, [ALARMS])


def close(share: float, trials: float) -> bool:
    """Tell whether a share is ALARMS but for what a binomial number and a threshold vary by.

    A threshold is a quantile of about as many scores as it is judged on, hence twice the variance.
    """
    low, high = binom.ppf([5e-5, 1 - 5e-5], trials / 2, ALARMS) / (trials / 2)
    return bool(low <= share <= high)


ATTACKED = [*ATTACKS, choice.OFFLINE_RMIA]


@pytest.mark.parametrize("attack", ATTACKED)
def test_without_a_signal_members_and_others_lie_above_a_threshold_alike(without_signal, attack):
    (attempt,) = (each for each in without_signal if each.attack == attack)
    rate, of_one_side = attempt.rates[ALARMS], MODELS / 2 * SAMPLES / 2
    assert close(rate.hits.mean(), of_one_side)
    assert close(rate.alarms.mean(), of_one_side)
    assert attempt.aucs.mean() == pytest.approx(0.5, abs=0.02)
    assert attempt.proven < 0.1


@pytest.mark.parametrize("attack", ATTACKED)
def test_with_a_signal_members_lie_above_it_and_others_as_before(with_signal, attack):
    (attempt,) = (each for each in with_signal if each.attack == attack)
    rate = attempt.rates[ALARMS]
    assert close(rate.alarms.mean(), MODELS / 2 * SAMPLES / 2)
    assert attempt.tuning.mean() > CHANCE
    # The loss threshold sees how easy samples are, more than who was a member.
    assert rate.hits.mean() > (1.05 if attack == "loss threshold" else 3) * ALARMS


def aucs(scores: Sequence[np.ndarray], member: np.ndarray) -> list[float]:
    """Return the area under the curve of each target's scores."""
    return [auc(each[of], each[~of]) for each, of in zip(scores, member, strict=True)]


def test_attacks_are_judged_on_targets_that_no_attack_was_chosen_on(with_signal):
    """Even models are tuning targets, odd ones the others, each with the rest as shadows."""
    models = uneven(2.0)
    expected = aucs(models.confidence, models.member)
    assert (with_signal[0].attack, with_signal[0].shadows) == ("loss threshold", MODELS - 1)
    np.testing.assert_allclose(with_signal[0].tuning, expected[::2])
    np.testing.assert_allclose(with_signal[0].aucs, expected[1::2])


def test_the_offset_is_the_best_on_tuning_targets_alone(with_signal):
    models = uneven(2.0)
    means = []
    for offset in OFFSETS:
        scores = [
            Rmia(offset)(against(models, t, [k for k in range(MODELS) if k != t]))
            for t in range(0, MODELS, 2)
        ]
        means.append(np.mean(aucs(scores, models.member[::2])))
    (attempt,) = (each for each in with_signal if each.attack == choice.OFFLINE_RMIA)
    assert attempt.offset == OFFSETS[int(np.argmax(means))]
    assert attempt.tuning.mean() == pytest.approx(max(means))


def test_what_the_target_learned_moves_no_threshold():
    models, target = uneven(2.0), 3
    others = [model for model in range(MODELS) if model != target]
    confidence, member, unseen = models.confidence.copy(), models.member.copy(), models.unseen * 1
    member[target] ^= True
    confidence[target] += 1e3 * member[target]
    unseen[target] -= 1e3
    changed = Population(confidence, member, ~member, unseen)
    attacks = ATTACKS | {choice.OFFLINE_RMIA: Rmia(0.3)}
    before, after = (
        thresholds_for(attacks, against(each, target, others), [ALARMS])
        for each in (models, changed)
    )
    assert before.keys() == after.keys()
    for key, threshold in before.items():
        assert after[key] == pytest.approx(threshold, abs=1e-9)


FBFTL = job({"method": "fbftl"})


def attempt(attack: str, tuning: float, quoted: float) -> Attempt:
    """Return an attempt with the AUCs on either half of the targets."""
    rate = Rate(np.array([0.3, 0.5]), np.array([0.02, 0.04]))
    return Attempt(
        attack, None, 3, np.full(2, tuning), np.array([quoted - 0.1, quoted + 0.1]),
        {alarms: rate for alarms in choice.ALARMS}, 0.7,
    )  # fmt: skip


def test_the_best_on_tuning_targets_is_quoted_even_if_another_does_better_on_the_others():
    attempts = [attempt("a", 0.7, 0.6), attempt("b", 0.6, 0.9), attempt("c", 0.4, 0.3)]
    assert chosen(attempts) is attempts[0]
    rows = rows_of(FBFTL, attempts)
    assert [row["quoted"] for row in rows] == [True, False, False]
    # An attack that is worse than a guess is reported as it is.
    assert rows[2]["auc"] == pytest.approx(0.3)
    assert rows[2]["tuning_auc"] == pytest.approx(0.4)
    findings = membership_findings(FBFTL, attempts)
    assert {finding.adversary for finding in findings} == {"a; 3 shadows"}
    auc, hits, _, proven = findings
    assert (auc.value, auc.spread) == (pytest.approx(0.6), pytest.approx(0.1 * np.sqrt(2)))
    assert (auc.repetitions, auc.blind) == (2, 0.5)
    # A guess with as many false positives has as many true ones.
    assert (hits.value, hits.blind) == (pytest.approx(0.4), pytest.approx(0.03))
    assert (proven.value, proven.blind) == (0.7, 0.0)


def test_no_attack_is_quoted_where_all_are_guesses_or_worse():
    attempts = [attempt("a", 0.5, 0.9), attempt("b", 0.4, 0.8)]
    assert chosen(attempts) is None
    assert not any(row["quoted"] for row in rows_of(FBFTL, attempts))
    (finding,) = membership_findings(FBFTL, attempts)
    assert finding.adversary == f"{GUESS}; 3 shadows"
    assert np.isnan(finding.value)
