"""One schema over both splits of a table, and columns that scale to nothing."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from fbftl.data.datasets import check, load
from fbftl.ground.errors import UserError

SPEC = {
    "kind": "table",
    "train": "train.csv",
    "test": "test.csv",
    "test_fraction": 0.2,
    "seed": 0,
    "label_column": "label",
    "group_column": None,
    "client_column": None,
}


def spec(folder: Path, train: str, test: str, **changes) -> dict:
    (folder / "train.csv").write_text(train)
    (folder / "test.csv").write_text(test)
    return SPEC | changes


def test_words_of_one_file_are_words_of_the_other(tmp_path):
    """By its own file the test's column is numbers, none of which is a training row's word."""
    block = spec(tmp_path, "code,label\n1,a\nx,b\n2,a\n", "code,label\n1,a\n2,b\n")
    check(block, tmp_path)
    dataset = load(block, tmp_path)
    # The training rows' words are 1, 2 and x, in this order.
    assert dataset.train.inputs[:, 0, 0].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert dataset.test.inputs[:, 0, 0].tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("train", "test", "sentence"),
    [
        ("x,label\n1,0\n2,1\n", "x,label\n1,yes\n2,no\n", "has the class 'no' .* has not"),
        ("x,label\n1,0\n2,1\n", "x,label\n1,0\n2,2\n", "has the class '2' .* has not"),
        ("c,label\nlow,0\nhigh,1\n", "c,label\n1,0\n2,1\n", "column 'c' .* none of the words"),
        ("x,x,label\n1,2,0\n3,4,1\n", "x,label\n1,0\n2,1\n", "several columns 'x'"),
        ("x, x,label\n1,2,0\n3,4,1\n", "x,label\n1,0\n2,1\n", "several columns 'x'"),
        ("x,label\n1e300,0\n2,1\n", "x,label\n1,0\n2,1\n", "holds 1e\\+300 in column 'x'"),
        ("x,label\n2020-01-01,0\n2020-01-02,1\n", "x,label\n2020-01-01,0\n", "column 'x'; leave"),
    ],
)
def test_what_splits_do_not_share_is_refused_before_any_job(tmp_path, train, test, sentence):
    with pytest.raises(UserError, match=sentence):
        check(spec(tmp_path, train, test), tmp_path)


def test_a_constant_column_is_zero(tmp_path):
    """0.1 so many times has a mean beside 0.1 in floats, and a deviation of some 1e-17."""
    rows = "".join(f"0.1,{number},{number % 2}\n" for number in range(3))
    block = spec(tmp_path, f"c,x,label\n{rows}", "c,x,label\n0.1,3,0\n0.2,4,1\n")
    dataset = load(block, tmp_path)
    assert dataset.train.inputs[:, 0, 0, 0].tolist() == [0.0] * 3
    np.testing.assert_allclose(dataset.test.inputs[:, 0, 0, 0], [0.0, 0.1], atol=1e-7)


def test_string_views_and_dictionaries_are_words_and_numbers(tmp_path):
    numbers = pa.array([1.0, 3.0, 1.0]).dictionary_encode()
    words = pa.array(["b", "a", "b"]).cast(pa.string_view())
    labels = pa.array(["yes", "no", "yes"]).cast(pa.string_view())
    table = pa.table({"x": numbers, "w": words, "label": labels})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    block = SPEC | {"train": "t.parquet", "test": "t.parquet"}
    check(block, tmp_path)
    dataset = load(block, tmp_path)
    assert dataset.classes == ("no", "yes")
    assert dataset.train.inputs[:, 0, 0, 1:].tolist() == [[0, 1], [1, 0], [0, 1]]


def test_damaged_names_are_refused(tmp_path):
    (tmp_path / "train.csv").write_bytes(b"x\xff,label\n1,0\n2,1\n")
    with pytest.raises(UserError, match="is no table"):
        check(SPEC | {"test": None}, tmp_path)
