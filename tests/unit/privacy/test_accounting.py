from math import inf, nan

import pytest
from fbftl.exchange.protection import _round_noise
from fbftl.ground.errors import UserError
from fbftl.privacy import composition
from fbftl.privacy.accounting import (
    classical_delta,
    classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    loose_zcdp_epsilon,
    loose_zcdp_rho,
    rounds_epsilon,
    rounds_sigma,
)

EPSILONS = [0.05, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 50]
ADJACENCIES = ["add-remove", "zero-out", "replace-one"]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("delta", "adjacency"), zip([1e-9, 1e-6, 1e-3], ADJACENCIES, strict=True))
def test_calibration_inverts_accounting(epsilon, delta, adjacency):
    sigma = gaussian_sigma(epsilon, delta, adjacency)
    assert gaussian_epsilon(sigma, delta, adjacency) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_library_agrees_with_our_closed_form(epsilon):
    sigma = gaussian_sigma(epsilon, 1e-6)
    assert gaussian_delta(sigma, epsilon) == pytest.approx(1e-6, rel=1e-8)
    assert gaussian_delta(0.999 * sigma, epsilon) > 1e-6


def test_replacing_a_record_takes_twice_the_noise():
    assert gaussian_sigma(2, 1e-6, "replace-one") == 2 * gaussian_sigma(2, 1e-6, "zero-out")


def test_the_classical_rule_breaks_delta_at_large_epsilon():
    """A21: at epsilon 16 the rule misses delta = 1e-5 by a factor of 34; below 1 it keeps it."""
    assert classical_delta(16, 1e-5) / 1e-5 == pytest.approx(34, abs=0.5)
    assert classical_delta(16, 1e-6) > 30e-6
    assert classical_sigma(16, 1e-5) < gaussian_sigma(16, 1e-5, "zero-out")
    for epsilon in (0.05, 0.2, 0.5, 0.99):
        assert classical_delta(epsilon, 1e-5) <= 1e-5


def test_full_participation_is_one_release_with_less_noise():
    exact = rounds_epsilon(30.0, 1e-6, rate=1, rounds=100)
    assert exact == gaussian_epsilon(3.0, 1e-6, "add-remove")
    assert rounds_sigma(exact, 1e-6, rate=1, rounds=100) == pytest.approx(30.0, rel=1e-9)


@pytest.mark.parametrize(
    ("multiplier", "rate", "rounds", "epsilon"),
    [
        (59, 0.04, 450, 0.04987),
        (31, 0.04, 450, 0.09964),
        (3.74, 0.04, 450, 0.99990),
        (0.894, 0.04, 450, 7.99382),
        (5, 0.001, 5000, 0.04970),
    ],
)
def test_rounds_cost_what_prv_estimates(multiplier, rate, rounds, epsilon):
    """Microsoft's prv-accountant 0.2.0 (arXiv 2106.02848); a grid of 1e-3 was 27 % above at .05."""
    bound = rounds_epsilon(multiplier, 1e-6, rate=rate, rounds=rounds)
    assert bound == pytest.approx(epsilon, rel=5e-3)
    parts = [composition.rounds(multiplier, rate, times) for times in (rounds - 1, 1)]
    assert composition.compose(parts, 1e-6, "add-remove").epsilon == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_calibrated_rounds_meet_epsilon(epsilon, adjacency):
    sigma = rounds_sigma(epsilon, 1e-6, rate=0.2, rounds=20, adjacency=adjacency)
    reached = rounds_epsilon(sigma, 1e-6, rate=0.2, rounds=20, adjacency=adjacency)
    assert reached <= epsilon
    assert reached == pytest.approx(epsilon, rel=5e-3)


@pytest.mark.parametrize(
    "values", [{"noise": bad} for bad in (0, -1, inf, nan)]
    + [{"delta": bad} for bad in (0, 1, -1e-6, nan)]
    + [{"rate": bad} for bad in (0, 1.1, nan)] + [{"rounds": 0}],
)  # fmt: skip
def test_what_no_privacy_follows_from_is_refused(values):
    usual = {"noise": 1, "delta": 1e-6, "rate": 0.5, "rounds": 2}
    noise, delta, rate, rounds = (usual | values).values()
    for account in (rounds_epsilon, rounds_sigma):
        with pytest.raises(UserError, match="no privacy follows from"):
            account(noise, delta, rate=rate, rounds=rounds)
    with pytest.raises(UserError, match="no privacy follows from"):
        composition.compose([composition.rounds(noise, rate, rounds)], delta, "add-remove")
    if not {"noise", "delta"} & set(values):
        return
    for account in (gaussian_epsilon, gaussian_sigma, loose_zcdp_epsilon, loose_zcdp_rho):
        with pytest.raises(UserError, match="no privacy follows from"):
            account(noise, delta)
    with pytest.raises(UserError, match="no privacy follows from"):
        composition.compose([composition.pure(noise)], delta, "add-remove")


def test_noise_of_rounds_that_overflows_is_refused():
    """Noise NaN would be said to cost epsilon 0."""
    with pytest.raises(UserError, match="no privacy follows from nan"):
        _round_noise(None, 4.0, 1e-6, 1.0, 1, 10, "exp", 1e-160)


@pytest.mark.parametrize(("epsilon", "rate", "rounds"), [(1e-3, 0.04, 450), (1e-5, 0.5, 2)])
def test_noise_for_a_tiny_epsilon_is_at_most_that_without_sampling(epsilon, rate, rounds):
    """The accountant's rounding hides it, and sampling never costs privacy."""
    sampled = rounds_sigma(epsilon, 1e-5, rate=rate, rounds=rounds)
    whole = rounds_sigma(epsilon, 1e-5, rate=1, rounds=rounds)
    assert 0 < sampled <= whole * (1 + 1e-9)
    assert rounds_epsilon(sampled, 1e-5, rate=rate, rounds=rounds) <= epsilon * (1 + 1e-6)
