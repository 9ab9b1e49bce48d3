"""Numbers beside printed ones, by formula and by measurement in the same setup; verdicts."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.published import (
    Measured,
    Verdict,
    at_printed_precision,
    formula_verdict,
    judged,
    measured_verdict,
    on_front,
    read,
    verdict,
)
from fbftl.papers.record import PaperRecord
from hypothesis import given
from hypothesis import strategies as st

EVERY = sorted((Path(__file__).parents[3] / "published").glob("*/*.csv"))
FILES = [f for f in EVERY if f.parent.name != "claims"]
NUMBER = r"-?\d+(\.\d+)?([eE][+-]?\d+)?"


@pytest.fixture(params=FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def path(request):
    return request.param


def test_every_value_is_a_number_with_unit_and_source(path):
    frame = read(path)
    assert len(frame) > 0
    assert frame["printed"].str.fullmatch(NUMBER).all()
    assert (frame[["unit", "source"]] != "").all(axis=None)
    assert not frame.duplicated(list(frame.columns[: -len(("printed", "unit", "source"))])).any()


def test_values_keep_their_printed_digits(root):
    record = PaperRecord.of([root / "published" / "fbftl" / "table3.csv"])
    assert (
        str(record.number("table3", method="ftl_f", quantity="client_multiplications"))
        == "4.80E+16"
    )
    assert record.number("table3", method="fl", quantity="accuracy") == Decimal("89.42")


def test_a_key_must_name_one_value(root):
    record = PaperRecord.of([root / "published" / "fbftl" / "table3.csv"])
    with pytest.raises(KeyError, match="0 published values"):
        record.number("table3", method="fedavg", quantity="accuracy")
    with pytest.raises(KeyError, match="7 published values"):
        record.number("table3", quantity="accuracy")


@pytest.mark.parametrize(
    ("value", "printed", "unit", "text"),
    [
        (6_553_600_000, "6.6", "Gb", "6.6"),
        (162_735_385_449_000_000, "1.63e17", "multiplications", "1.63e17"),
        (118_687_103_750_000, "253", "Tb", "119"),
        (Fraction(2, 3), "0.10", "1", "0.67"),
        (1_500_000, "1", "Mb", "2"),
    ],
)
def test_value_at_printed_precision(value, printed, unit, text):
    assert at_printed_precision(value, printed, unit) == text


def test_formula_may_be_rounded_or_cut():
    assert formula_verdict(153_144_650 * 32 * 25_000, "123", "Tb") is Verdict.REPRODUCED
    assert formula_verdict(46_349_504 * 32 * 103_124, "152.9", "Tb") is Verdict.REPRODUCED
    assert formula_verdict(46_349_504 * 32 * 103_124, "153.0", "Tb") is Verdict.REPRODUCED
    assert formula_verdict(46_349_504 * 32 * 103_124, "153.1", "Tb") is Verdict.DIFFERS


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_a_printed_integer_reproduces_itself_at_any_precision(value, digits):
    printed = str((Decimal(value) / 10**digits).quantize(Decimal(1).scaleb(-digits)))
    exact = Fraction(value, 10**digits)
    assert formula_verdict(exact, printed, "1") is Verdict.REPRODUCED
    assert formula_verdict(exact + Fraction(2, 10**digits), printed, "1") is Verdict.DIFFERS


def test_a_measurement_is_judged_in_the_published_setup_only():
    near, far = Measured(86.4, 0.2, 3), Measured(80.0, 0.2, 3)
    assert measured_verdict(near, "86.51", "") is Verdict.REPRODUCED
    assert measured_verdict(far, "86.51", "") is Verdict.DIFFERS
    assert measured_verdict(Measured(86.4, 2.0, 3), "86.51", "") is Verdict.UNDECIDED
    assert measured_verdict(Measured(86.4, 0.0, 1), "86.51", "") is Verdict.UNDECIDED
    assert measured_verdict(near, "86.51", "another size") is Verdict.NOT_COMPARABLE
    assert measured_verdict(None, "86.51", "") is Verdict.NOT_RUN


def test_a_measurement_may_be_off_by_the_band_and_half_a_printed_unit():
    for mean, expected in ((87.4, Verdict.REPRODUCED), (87.7, Verdict.DIFFERS)):
        assert measured_verdict(Measured(mean, 0.001, 3), "86", "", band=1.0) is expected


def table(**columns) -> pd.DataFrame:
    fixed = {"accuracy": [0.864, 0.5], "spread": [0.002, 0.002], "seeds": [3, 3]}
    return pd.DataFrame(fixed | columns)


@pytest.mark.parametrize(("printed", "unit"), [("86.51", "%"), ("0.8651", "1")])
def test_shares_and_percents_are_one_accuracy(printed, unit):
    table_rows = judged(table(printed=[printed, None], printed_unit=[unit, None]), "")
    assert table_rows["published"].iloc[0] == 0.8651
    assert list(table_rows["verdict"]) == ["reproduced", ""]
    assert list(table_rows["reason"]) == ["", ""]


def test_what_is_not_comparable_says_why():
    table_rows = judged(table(printed=["86.51"] * 2, printed_unit=["%"] * 2), "another backbone")
    assert set(table_rows["verdict"]) == {"not comparable"}
    assert set(table_rows["reason"]) == {"another backbone"}


REPETITIONS = 4000
SAMPLING = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
"""Three deviations of a share of 5 % among the repetitions."""


def shares(differences: np.ndarray, *claimed: float) -> dict[Verdict, float]:
    verdicts = [verdict(Measured.of(list(row)), *claimed) for row in differences]
    return {word: verdicts.count(word) / len(verdicts) for word in Verdict}


@pytest.mark.parametrize("seeds", [3, 8])
def test_no_effect_is_decided_in_one_of_twenty_cases_each_way(seeds):
    """So is what lies on the edge of a band."""
    normal = np.random.default_rng(seeds).normal(size=(REPETITIONS, seeds))
    null = shares(normal)
    for decided in (null, *(shares(edge + 0.3 * normal, -1.0, 1.0) for edge in (-1.0, 1.0))):
        assert decided[Verdict.REPRODUCED] <= 0.05 + SAMPLING
        assert decided[Verdict.DIFFERS] <= 0.05 + SAMPLING
    # Two standard errors at three seeds would be 9 %; a rule that never decides would be 0.
    assert null[Verdict.DIFFERS] >= 0.05 - SAMPLING


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0]])
def test_fewer_than_three_seeds_decide_nothing(values):
    assert verdict(Measured.of(values)) is Verdict.UNDECIDED
    assert verdict(Measured.of([5.0] * 3)) is Verdict.REPRODUCED


def test_equal_is_inside_a_band():
    assert verdict(Measured.of([0.1, -0.1, 0.0]), -1, 1) is Verdict.REPRODUCED
    assert verdict(Measured.of([1.9, -1.9, 0.0]), -1, 1) is Verdict.UNDECIDED
    assert verdict(Measured.of([3.1, 2.9, 3.0]), -1, 1) is Verdict.DIFFERS
    assert verdict(Measured.of([-3.1, -2.9, -3.0]), -1, 1) is Verdict.DIFFERS


def test_rounding_of_floats_is_no_effect():
    noise = (0.1 + 0.2) - 0.3
    assert noise > 0
    assert verdict(Measured.of([noise] * 3)) is Verdict.UNDECIDED


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=9), st.floats(-10, 10))
def test_a_claim_and_its_opposite_never_both_hold(values, margin):
    above = verdict(Measured.of(values), margin)
    below = verdict(Measured.of([-value for value in values]), -margin)
    opposite = {
        Verdict.REPRODUCED: Verdict.DIFFERS,
        Verdict.DIFFERS: Verdict.REPRODUCED,
        Verdict.UNDECIDED: Verdict.UNDECIDED,
    }
    assert below is opposite[above]


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_holds_exactly_what_nothing_beats(points):
    """Of equal points all are on it, or none."""
    table = pd.DataFrame(points, columns=["cost", "score"])
    expected = [
        not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        for cost, score in points
    ]
    assert on_front(table["cost"], table["score"]).tolist() == expected
