"""The rule for the verdict."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from fbftl.findings.comparison import (
    Claim,
    Measured,
    Verdict,
    at_printed_precision,
    claims_table,
    direction,
    formula_verdict,
    measured_verdict,
)
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "printed", "unit", "text"),
    [
        (656_250, "656250", "batches", "656250"),
        (6_553_600_000, "6.6", "Gb", "6.6"),
        (162_735_385_449_000_000, "1.63e17", "multiplications", "1.63e17"),
        (48_045_685_227_800_000, "4.80e16", "multiplications", "4.80e16"),
        (118_687_103_750_000, "253", "Tb", "119"),
        (Fraction(2, 3), "0.10", "1", "0.67"),
        (131_072, "131", "Kb", "131"),
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


def test_measurement_is_judged_on_the_papers_task_only():
    near, far = Measured(86.4, 0.2, 3), Measured(85.0, 0.2, 3)
    assert measured_verdict(near, "86.51", same_task=True) is Verdict.REPRODUCED
    assert measured_verdict(far, "86.51", same_task=True) is Verdict.DIFFERS
    assert measured_verdict(near, "86.51", same_task=False) is Verdict.NOT_COMPARABLE
    assert measured_verdict(None, "86.51", same_task=True) is Verdict.NOT_RUN


def test_one_seed_still_has_the_printed_precision():
    assert measured_verdict(Measured(86.514, 0.0, 1), "86.51", True) is Verdict.REPRODUCED
    assert measured_verdict(Measured(86.516, 0.0, 1), "86.51", True) is Verdict.DIFFERS


def test_direction_needs_more_than_its_standard_error():
    low, high = Measured(80.0, 1.0, 4), Measured(82.0, 1.0, 4)
    assert direction(low, high) is Verdict.REPRODUCED
    assert direction(high, low) is Verdict.DIFFERS
    assert direction(low, Measured(80.5, 1.0, 4)) is Verdict.NOT_COMPARABLE
    assert direction(None, high) is Verdict.NOT_RUN
    assert math.isclose(low.error, 0.5)


@given(
    st.tuples(st.floats(-100, 100), st.floats(0, 10), st.integers(1, 9)),
    st.tuples(st.floats(-100, 100), st.floats(0, 10), st.integers(1, 9)),
)
def test_a_claim_and_its_opposite_never_both_hold(first, second):
    verdicts = {direction(Measured(*first), Measured(*second))}
    verdicts.add(direction(Measured(*second), Measured(*first)))
    assert verdicts in ({Verdict.REPRODUCED, Verdict.DIFFERS}, {Verdict.NOT_COMPARABLE})


def test_claims_become_rows():
    claim = Claim(
        "FbFTL loses less accuracy than FTL_c from q = 32 to q = 2",
        "Table V",
        Measured(1.0, 0.1, 3),
        Measured(5.0, 0.2, 3),
    )
    frame = claims_table([claim, Claim("not yet measured", "Fig. 8", None, None)])
    assert list(frame["verdict"]) == ["reproduced", "not run"]
    assert frame["greater_mean"].iloc[0] == 5.0
    assert frame["lesser_mean"].isna().iloc[1]
