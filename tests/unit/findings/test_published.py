from decimal import Decimal
from pathlib import Path

import pytest
from fbftl.findings.published import lookup, read
from fbftl.ground.errors import UserError

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
