"""None"""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from fbftl.findings.comparison import Measured, Verdict
from fbftl.findings.published import (
    at_printed_precision,
    formula_verdict,
    judged,
    lookup,
    measured_verdict,
    read,
)
from fbftl.ground.errors import UserError
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
    table = read(root / "published" / "fbftl" / "table3.csv")
    assert str(lookup(table, method="ftl_f", quantity="client_multiplications")) == "4.80E+16"
    assert lookup(table, method="fl", quantity="accuracy") == Decimal("89.42")


def test_a_key_must_name_one_value(root):
    table = read(root / "published" / "fbftl" / "table3.csv")
    with pytest.raises(KeyError, match="0 published values"):
        lookup(table, method="fedavg", quantity="accuracy")
    with pytest.raises(KeyError, match="7 published values"):
        lookup(table, quantity="accuracy")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read(tmp_path / "table.csv")


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
