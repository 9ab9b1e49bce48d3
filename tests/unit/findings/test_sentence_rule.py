"""The rule of sentences: its intervals by closed form, its verdicts, and how often it errs."""

import math

import numpy as np
import pytest
from fbftl.findings.comparison import Measured
from fbftl.findings.sentence_rule import (
    ERRORS,
    Form,
    Judgement,
    Stated,
    interval,
    judged,
    over_parts,
    stated,
)
from scipy import stats

HOLDS, CONTRARY, NONE, UNDECIDED, DEPENDS = Judgement


def around(mean: float, reach: float, seeds: int = 5, tested: int = 1) -> Measured:
    """Return a difference whose interval is the mean, give or take the reach."""
    quantile = float(stats.t.ppf(1 - ERRORS / (2 * tested), seeds - 1))
    return Measured(mean, reach / quantile * math.sqrt(seeds), seeds)


@pytest.mark.parametrize("tested", [1, 7, 36])
def test_the_interval_is_two_sided_and_shares_the_level_among_sentences(tested):
    values = [0.3, 1.1, 0.2, 0.9]
    expected = stats.t.interval(
        1 - 0.05 / tested, len(values) - 1, np.mean(values), stats.sem(values)
    )
    assert interval(Measured.of(values), tested) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mean", "reach", "verdict"),
    [
        (1.5, 1, HOLDS),
        (-1.5, 1, CONTRARY),
        (0.1, 1, NONE),
        (0.1, 3, UNDECIDED),
        (1.5, 1.6, UNDECIDED),
        (0.2, 0.1, HOLDS),
    ],
)
def test_an_order_is_judged_by_its_interval(mean, reach, verdict):
    assert judged(around(mean, reach), Stated(half=1.5), 1) is verdict


@pytest.mark.parametrize(
    ("mean", "reach", "equal", "no_less"),
    [
        (0, 1, HOLDS, HOLDS),
        (1, 0.5, HOLDS, HOLDS),
        (2, 1, UNDECIDED, HOLDS),
        (4, 1, CONTRARY, HOLDS),
        (-2, 1, UNDECIDED, UNDECIDED),
        (-4, 1, CONTRARY, CONTRARY),
    ],
)
def test_equal_is_a_band_and_no_less_its_upper_half(mean, reach, equal, no_less):
    difference = around(mean, reach)
    assert judged(difference, Stated(Form.EQUAL, band=2), 1) is equal
    assert judged(difference, Stated(Form.NO_LESS, band=2), 1) is no_less


@pytest.mark.parametrize(("mean", "verdict"), [(5, HOLDS), (3.5, UNDECIDED), (-5, UNDECIDED)])
def test_a_case_without_it_does_not_refute_that_there_is_one_with_it(mean, verdict):
    of = Stated(Form.MORE_IN_SOME_CASE, margin=3.5, half=1.75)
    assert judged(around(mean, 1), of, 1) is verdict
    assert judged(around(0, 0.1), of, 1) is UNDECIDED


def test_the_verdict_gets_stricter_with_every_sentence():
    difference = around(1, 0.9, tested=1)
    assert judged(difference, Stated(half=0.1), 1) is HOLDS
    assert judged(difference, Stated(half=0.1), 20) is UNDECIDED


def test_half_of_what_is_printed_or_ours():
    assert stated(Form.MORE, None, 3.92, "points", 0).half == pytest.approx(1.96)
    assert stated(Form.MORE, None, None, "points", 80).half == 1
    assert stated(Form.MORE, None, None, "share", 0.8).half == 0.01
    assert stated(Form.MORE, None, None, "rounds", 40).half == 4
    assert stated(Form.MORE, None, None, "bits", None).half == pytest.approx(math.log(1.1))
    times = stated(Form.MORE, 10, 100, "times", None)
    assert (times.margin, times.half) == pytest.approx((math.log(10), math.log(100) / 2))


@pytest.mark.parametrize(
    ("form", "printed", "ours"),
    [
        (Form.MORE, None, True),
        (Form.MORE, 0.04, False),
        (Form.MORE_IN_SOME_CASE, None, True),
        (Form.EQUAL, None, True),
        (Form.EQUAL, 0.04, True),
        (Form.NO_LESS, 2.53, False),
    ],
)
def test_what_is_not_printed_is_marked_as_ours(form, printed, ours):
    of = stated(form, None, printed, "points", 0)
    assert of.ours is ours
    assert of.reach == (of.half if of.order else of.band)


@pytest.mark.parametrize(("printed", "band"), [(None, 1), (0.04, 1), (2.53, 2.53)])
def test_equal_reaches_as_far_as_what_is_printed_as_equal(printed, band):
    assert stated(Form.EQUAL, None, printed, "points", 0).band == band


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([CONTRARY, CONTRARY], CONTRARY),
        ([HOLDS, CONTRARY, UNDECIDED], DEPENDS),
        ([HOLDS, UNDECIDED], UNDECIDED),
        ([HOLDS, NONE], UNDECIDED),
        ([NONE, NONE], NONE),
        ([], UNDECIDED),
    ],
)
def test_parts_agree_or_depend_on_the_case(parts, verdict):
    assert over_parts(parts) is verdict


def errors(systems: int, sentences: int, seeds: int, tested: int) -> float:
    """Return the share of systems of null effects in which some order is decided.

    Every sentence compares a method with the one that the system is about.
    """
    draws = np.random.default_rng(seeds).standard_normal((systems, 1 + sentences, seeds))
    differences = draws[:, 1:] - draws[:, :1]
    means, spreads = differences.mean(axis=-1), differences.std(axis=-1, ddof=1)
    decided = 0
    for of_system in zip(means, spreads, strict=True):
        verdicts = {
            judged(Measured(float(mean), float(spread), seeds), Stated(half=0.5), tested)
            for mean, spread in zip(*of_system, strict=True)
        }
        decided += bool(verdicts & {HOLDS, CONTRARY})
    return decided / systems


def test_of_systems_without_effects_one_in_twenty_is_decided_at_most():
    shares = [errors(400, 12, seeds, tested=12) for seeds in (3, 4, 5, 8, 12, 20, 30, 40)]
    assert np.mean(shares) <= ERRORS
    # At the level of a single sentence nearly half of the systems would err.
    assert errors(400, 12, 8, tested=1) > 5 * ERRORS
