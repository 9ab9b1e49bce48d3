"""Measures of claims, each from runs made up for it; what curves come to, by closed forms."""

import math

import numpy as np
import pandas as pd
import pytest
from fbftl.papers.claim_rows import Side, Term
from fbftl.papers.fbftl.claims import least_keep
from fbftl.papers.fedfeat.claims import rounds_to_end
from fbftl.papers.measures import (
    MEASURES,
    end_of,
    measures_of,
    payload,
    points_fallen,
    rounds_falling,
    rounds_to_converge,
    rounds_until,
)
from fbftl.papers.quantities import Runs
from fbftl.papers.thesis.claims import lead_at_best_share, pseudo_slopes, rounds_to_common

SEEDS = (0, 1)


def runs(columns: dict[str, dict[str, float]], series: pd.DataFrame | None = None) -> Runs:
    """Return runs of settings with their columns, alike in both seeds."""
    rows = [
        {"task": "toy", "setting": setting, "seed": seed, "diverged": False, **of}
        for setting, of in columns.items()
        for seed in SEEDS
    ]
    return Runs(pd.DataFrame(rows), series=pd.DataFrame() if series is None else series)


def followed(**curves: list[float]) -> pd.DataFrame:
    """Return accuracies by rounds, alike in both seeds."""
    return pd.DataFrame(
        {"setting": setting, "seed": seed, "series": "test_accuracy", "step": step, "value": value}
        for setting, curve in curves.items()
        for seed in SEEDS
        for step, value in enumerate(curve, start=1)
    )


def side(*settings: str) -> Side:
    """Return a side of settings whose measure plays no part."""
    return Side(tuple(Term("", setting) for setting in settings))


def test_the_epoch_that_validation_picks_ends_the_count_of_the_paper_s_bits():
    uplink = pd.DataFrame(
        {"method": "fl", "until": until, "seed": seed, "payload_bits": bits}
        for until, bits in (("selected epoch", 10), ("common accuracy", 5))
        for seed in SEEDS
    )
    table = runs({"fl": {"uplink_payload_bits": 99}, "sfl": {"uplink_payload_bits": 7}}).table
    assert list(payload(Runs(table, uplink), "fl")) == [10, 10]
    assert list(payload(Runs(table, uplink), "sfl")) == [7, 7]


def test_bits_of_a_round_leave_out_what_diverged():
    of = runs({"fd": {"uplink_bits": 30, "epoch": 10}})
    of.table.loc[1, "diverged"] = True
    assert MEASURES["uplink_bits_per_round"].values(of, "fd").to_dict() == {0: 3}


@pytest.mark.parametrize(
    ("kept", "least"), [((90, 80, 10), 0.1), ((90, 90, 86), 0.001), ((50, 50, 50), 1.0)]
)
def test_the_least_share_keeps_the_accuracy(kept, least):
    shares = dict(zip(("0.1", "0.01", "0.001"), kept, strict=True))
    of_shares = {f"ftl_c+keep={keep}": {"test_accuracy": v / 100} for keep, v in shares.items()}
    of = runs({"ftl_c": {"test_accuracy": 0.9}} | of_shares)
    assert list(least_keep(of, "ftl_c")) == [least, least]
    assert least_keep(of, "fbftl").empty


def test_rounds_are_counted_to_where_fedavg_ends():
    rising = [0.1 * step for step in range(1, 11)]
    of = runs({}, followed(fedavg=rising, fedfeat=[2 * value for value in rising]))
    plus, plain = rounds_to_end(of, side("fedfeat"), side("fedavg"))
    assert (list(plus), list(plain)) == ([5, 5], [10, 10])
    saved, nothing = rounds_to_end(of, side("fedavg", "fedfeat"), side("fedavg", "fedavg"))
    assert (list(saved), list(nothing)) == ([5, 5], [0, 0])


def test_rounds_are_counted_to_the_highest_accuracy_that_both_reach():
    of = runs({}, followed(a=[0.2, 0.52, 0.9], b=[0.5, 0.53, 0.53], c=[0.01, 0.01, 0.02]))
    slower, sooner = rounds_to_common(of, side("a"), side("b"))
    assert (list(slower), list(sooner)) == ([2, 2], [1, 1])
    assert all(values.empty for values in rounds_to_common(of, side("a"), side("c")))


def test_a_lead_counts_where_the_lesser_of_both_is_greatest():
    standard, robust = [0.9, 0.85, 0.8, 0.75, 0.7], [0.3, 0.4, 0.55, 0.6, 0.7]
    shares = ("0", "0.2", "0.5", "0.8", "1")
    mixed = {f"standard_accuracy_at_{s}": v for s, v in zip(shares, standard, strict=True)}
    mixed |= {f"robust_accuracy_at_{s}": v for s, v in zip(shares, robust, strict=True)}
    point = {"standard_accuracy_at_0": 0.75, "robust_accuracy_at_0": 0.5}
    lead, zero = lead_at_best_share(runs({"two": mixed, "one": point}), side("two"), side("one"))
    assert list(lead) == pytest.approx([5, 5])
    assert list(zero) == [0, 0]


def test_the_slope_of_what_rises_exponentially_is_its_rate():
    steps = np.array([1, 25, 50, 75, 100])
    added = pd.DataFrame([scale * np.exp(0.03 * steps) for scale in (1, 1.1, 0.9)], columns=steps)
    slopes = pseudo_slopes(added)
    assert slopes.mean() == pytest.approx(0.03, rel=0.01)
    assert pseudo_slopes(added.iloc[:1]).empty


def test_the_logarithm_of_a_loss_makes_differences_ratios():
    values = measures_of("thesis")["log_training_loss"].values
    of = runs({"a": {"training_loss": 2.0}, "b": {"training_loss": 1.0}})
    assert list(values(of, "a") - values(of, "b")) == pytest.approx([math.log(2)] * 2)


RISING = np.minimum(np.arange(1, 21) / 10, 1.0)
"""A tenth more in each of ten rounds, then level."""


def test_a_curve_ends_in_the_mean_of_its_last_tenth():
    assert end_of(np.arange(20.0)) == 18.5
    assert end_of([0.3]) == 0.3


def test_rounds_count_from_one_and_end_one_after_the_last():
    """Of twenty rounds two in a row count, by their middle."""
    assert rounds_until(RISING, 0.45) == 4.5
    assert rounds_until(RISING, 0.46) == 5.5
    assert rounds_until(RISING, 0.15) == 1.5
    assert rounds_until(RISING, 1.0) == 10.5
    assert rounds_until(RISING, 1.1) == 21
    assert rounds_until([0.2, 0.6, 0.7], 0.6) == 2


def test_a_curve_has_converged_a_point_below_its_end():
    assert rounds_to_converge(RISING) == 10.5
    assert rounds_to_converge(np.append(RISING[:9], [0.991] + [1.0] * 10)) == 10.5
    assert rounds_to_converge([0.5] * 8) == 1


def test_noise_does_not_move_the_round_of_convergence():
    """Single rounds of a noisy curve are there long before its mean is."""
    rounds = np.arange(1, 121)
    smooth = 0.9 - 0.5 * np.exp(-rounds / 15)
    noise = np.random.default_rng(0).normal(0, 0.03, (200, len(rounds)))
    expected = rounds_to_converge(smooth)
    noisy = np.array([rounds_to_converge(smooth + of_seed) for of_seed in noise])
    first = np.array([np.flatnonzero(smooth + of_seed >= 0.89)[0] + 1 for of_seed in noise])
    assert np.nanmean(noisy) == pytest.approx(expected, rel=0.1)
    assert first.mean() < 0.7 * expected


def test_curves_that_still_rise_or_diverged_have_not_converged():
    assert np.isnan(rounds_to_converge(np.arange(1, 41) / 40))
    assert np.isnan(rounds_to_converge(np.append(np.full(20, 0.5), np.zeros(20))))
    assert np.isnan(rounds_to_converge([0.5]))
    assert rounds_to_converge(0.5 + np.arange(1, 41) / 1000) > 20


def test_falls_are_counted_and_added_up_and_rises_are_neither():
    zigzag = [0.5, 0.4, 0.6, 0.55, 0.55]
    assert rounds_falling(zigzag) == 0.5
    assert points_fallen(zigzag) == pytest.approx(15)
    assert rounds_falling(RISING) == points_fallen(RISING) == 0
    assert rounds_falling([0.5]) == 0
