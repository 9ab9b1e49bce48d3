"""The attack that is quoted is chosen on other targets, and thresholds attain what is reported."""

from collections.abc import Sequence

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
    thresholds_for,
)
from fbftl.attacks.heads import GUESS, membership_findings, rows_of
from fbftl.attacks.membership import auc
from fbftl.attacks.shadows import Population, against
from scipy.stats import binom
from unit.attacks.gaussian_models import trained_on_halves
from unit.training.tasks.toy_task import job

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
