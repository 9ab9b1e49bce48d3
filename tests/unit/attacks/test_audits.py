"""Audits notice a mechanism that is broken, and leave a right one alone.

Every cell that exists is tested once at one epsilon here; `scripts/tools/keep_audits.py` repeats
all of them at four, by hand.
"""

import importlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fbftl.attacks.audits.faults import FAULTS, broken
from fbftl.attacks.audits.mechanism import RELEASE, Mechanism, signs, split
from fbftl.attacks.audits.mechanisms import MECHANISMS, audited, least_allowed
from fbftl.attacks.audits.one_run import least_epsilon_of_run, refuted
from fbftl.attacks.audits.repeated import most_failures
from fbftl.attacks.audits.trial import ERROR, bounded, trial_of
from fbftl.attacks.membership import Scores
from fbftl.privacy.tradeoffs import GaussianTradeOff, gaussian_tradeoff
from fbftl.study.methods import axes_by_method
from scipy.stats import beta

EPSILON, PAIRS, AXES = 4.0, 4_000, axes_by_method()

CELLS = [
    pytest.param(mechanism, fault, id=f"{mechanism.name}, {fault.kind}")
    for mechanism in MECHANISMS
    for fault in mechanism.faults
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_a_right_mechanism_passes(mechanism):
    trial = audited(mechanism, EPSILON, 0, AXES, pairs=PAIRS)
    assert not trial.fails


@pytest.mark.parametrize(("mechanism", "fault"), CELLS)
def test_a_broken_mechanism_is_caught(mechanism, fault):
    assert audited(mechanism, EPSILON, 0, AXES, fault).fails


def test_mechanisms_and_their_faults_have_names_of_their_own():
    assert len({mechanism.name for mechanism in MECHANISMS}) == len(MECHANISMS)
    for mechanism in MECHANISMS:
        kinds = [fault.kind for fault in mechanism.faults]
        assert len(set(kinds)) == len(kinds)
        assert set(kinds) <= set(FAULTS)


def test_the_page_has_every_cell(root):
    page = (root / "docs" / "audits.md").read_text(encoding="utf-8")
    lines = [f"| {mechanism.name} | " for mechanism in MECHANISMS]
    shown = [line for line in page.splitlines() if line.startswith(tuple(lines))]
    assert [line.split(" | ")[0] for line in shown] == [line.rstrip(" |") for line in lines]
    for line, mechanism in zip(shown, MECHANISMS, strict=True):
        marks = [cell.strip() == "x" for cell in line.split("|")[3:-1]]
        kinds = {fault.kind for fault in mechanism.faults}
        assert marks == [kind in kinds for kind in FAULTS]


@pytest.mark.parametrize(("mechanism", "fault"), CELLS)
def test_a_fault_ends_with_its_block(mechanism, fault):
    def functions():
        return [
            patch.owner[patch.name] if isinstance(patch.owner, dict)
            else getattr(patch.owner, patch.name)
            for patch in fault.patches
        ]  # fmt: skip

    right = functions()
    with broken(fault):
        assert all(now is not before for now, before in zip(functions(), right, strict=True))
    assert functions() == right


def noisy(scale: float):
    """Return a sampler of Gaussian noise that is `scale` times as much as is stated."""

    def sample(epsilon, included, seed):
        noise = np.random.default_rng(seed).standard_normal(len(included))
        moved = gaussian_tradeoff(epsilon, 1e-5).mu / 2 * signs(included)
        return {RELEASE: split(moved + scale * noise, included)}

    return sample


TOY = Mechanism(
    "toy", "a number replaced", lambda epsilon: {RELEASE: gaussian_tradeoff(epsilon, 1e-5)},
    noisy(1.0), (),
)  # fmt: skip
"""Noise that has exactly the curve which it states: all that one further entry needs."""


def test_a_mechanism_on_its_curve_fails_no_more_often_than_its_error():
    failed = sum(audited(TOY, 1.0, seed, AXES, pairs=2_000).fails for seed in range(400))
    assert failed <= most_failures(400)
    assert most_failures(400) < 2 * ERROR * 400


def test_half_of_the_noise_exceeds_what_is_stated_and_twice_of_it_does_not():
    for scale, fails in ((0.5, True), (2.0, False)):
        mechanism = replace(TOY, sample=noisy(scale))
        trial = audited(mechanism, 1.0, 0, AXES, pairs=20_000)
        assert trial.fails is fails
        assert (least_allowed(mechanism, 1.0, trial) > 1.0) is fails


def test_bounds_are_those_of_clopper_and_pearson():
    scores = Scores(np.arange(100.0), np.arange(-50.0, 50.0))
    rates = bounded(scores, np.array([29.0, 200.0, -99.0]), 0.02)
    np.testing.assert_allclose(rates.least_hits[0], beta.ppf(0.01, 70, 31))
    np.testing.assert_allclose(rates.most_alarms[0], beta.ppf(0.99, 21, 80))
    assert rates.least_hits[1] == 0
    assert rates.most_alarms[2] == 1


def test_a_threshold_is_fixed_on_other_draws_than_it_judges():
    """On noise alone the farthest of many thresholds would seem to leak, were it judged there."""
    curve = {RELEASE: GaussianTradeOff(1e-9)}

    def sample(included, seed):
        return {RELEASE: split(np.random.default_rng(seed).random(len(included)), included)}

    failed = sum(trial_of(sample, curve, (200, 200), seed).fails for seed in range(400))
    assert failed <= most_failures(400)


def run_of(mu: float, seed: int, canaries: int = 1_000) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and kinds of canaries under Gaussian noise that states mu."""
    draws = np.random.default_rng(seed)
    kinds = draws.random(canaries) < 0.5
    return mu / 2 * signs(kinds) + draws.standard_normal(canaries), kinds


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_one_run_proves_no_more_than_is_stated_and_more_where_noise_is_a_third(epsilon):
    def proven(mu, seed):
        scores, kinds = run_of(mu, seed)
        return least_epsilon_of_run(scores, kinds, lambda e: gaussian_tradeoff(e, 1e-5))

    mu = gaussian_tradeoff(epsilon, 1e-5).mu
    above = sum(proven(mu, seed) > epsilon for seed in range(20))
    assert above <= most_failures(20)
    assert np.median([proven(3 * mu, seed) for seed in range(9)]) > epsilon


def test_one_run_without_a_right_guess_more_than_chance_refutes_nothing():
    assert not refuted(GaussianTradeOff(0.1), 1_000, 1_000, 500, 0.05)
    assert refuted(GaussianTradeOff(0.1), 1_000, 1_000, 700, 0.05)
    with pytest.raises(ValueError, match="more than 1000"):
        least_epsilon_of_run(*run_of(1.0, 0, 1_001), lambda e: gaussian_tradeoff(e, 1e-5))


def test_the_figure_counts_who_exceeds_what_is_stated(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "scripts" / "figures"))
    figure = importlib.import_module("plot_mechanism_audits")
    table = pd.DataFrame(
        {
            "audited": ["a", "a", "b", "b"], "fault": ["none", "noise halved", "none", "none"],
            "epsilon": 1.0, "least": [0.9, 2.1, 0.0, 0.3], "audit": ["test", "test", "x", "y"],
            "training": [False, False, True, True],
        }
    )  # fmt: skip
    points = figure.plotted(table)
    assert sorted(points["least"]) == [0.3, 0.9, 2.1]
    assert "1 of 1 broken mechanisms" in figure.story(points).title
    assert "0 of 1 right ones" in figure.story(points).title
