"""One schema over both splits of a table, and columns that scale to nothing."""

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from fbftl.data.datasets import check, load, outline
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
        ("x,label\n1,0\n2,1\n", "x,label\n1,yes\n2,no\n", "has the class 'no' .* lacks"),
        ("c,label\nlow,0\nhigh,1\n", "c,label\n1,0\n2,1\n", "column 'c' .* shares no word"),
        ("x,label\n1,0\n2,1\n", "y,label\n1,0\n2,1\n", "test.csv has the columns y, label"),
        ("x,x,label\n1,2,0\n3,4,1\n", "x,label\n1,0\n2,1\n", "several columns 'x'"),
        ("x,label\n1e300,0\n2,1\n", "x,label\n1,0\n2,1\n", "holds 1e\\+300 in column 'x'"),
        ("x,label\n2020-01-01,0\n2020-01-02,1\n", "x,label\n2020-01-01,0\n", "column 'x'; leave"),
    ],
)
def test_what_splits_do_not_share_is_refused_before_any_job(tmp_path, train, test, sentence):
    with pytest.raises(UserError, match=sentence):
        check(spec(tmp_path, train, test), tmp_path)


def test_clients_that_could_name_no_file_are_refused_before_any_job(tmp_path):
    people = "x,who,label\n1,../a,0\n2,b,1\n"
    with pytest.raises(UserError, match=r"names a client '../a'; use letters"):
        check(spec(tmp_path, people, people, client_column="who"), tmp_path)


NUMBERS = [f"{n / 7:.4f},{n % 2}" for n in range(40)]


def numbered(folder: Path, lines: list[str], names: str = "x,label", **changes) -> dict:
    return spec(folder, "\n".join([names, *lines]), "") | {"test": None} | changes


def test_an_index_of_pandas_is_no_input(tmp_path):
    """Case 04: rows sorted by class, whose numbers would tell it."""
    frame = pd.DataFrame({"x": np.sin(np.arange(20)), "label": np.arange(20) // 10})
    frame.to_csv(tmp_path / "train.csv")
    pd.read_csv(tmp_path / "train.csv").to_csv(tmp_path / "again.csv", index=False)
    frame[frame["x"] > 0].to_parquet(tmp_path / "filtered.parquet")
    frame.set_index(frame.index.rename("id")).to_parquet(tmp_path / "named.parquet", index=True)
    for name in ("train.csv", "again.csv", "filtered.parquet", "named.parquet"):
        block = SPEC | {"train": name, "test": None}
        check(block, tmp_path)
        assert load(block, tmp_path).train.inputs.shape[-1] == 1, name
        assert "has an index" in outline(block, tmp_path).notes[0]
    frame.set_index("label").to_parquet(tmp_path / "labels.parquet")
    assert load(block | {"train": "labels.parquet"}, tmp_path).classes == ("0", "1")


@pytest.mark.parametrize(
    ("lines", "names", "sentence"),
    [
        (["1,unknown,0", *(f"1,{line}" for line in NUMBERS)], "w,x,label", "'unknown' in row 1 of"),
        ([*NUMBERS, "n/a,1"], "x,label", r"lacks values in x \(1\)"),
        ([*NUMBERS, '"1,5",0'], "x,label", "'1,5' in row 41 .* decimal points"),
        ([f"w{n},{n % 2}" for n in range(1001)], "x,label", "1,001 different words in column 'x'"),
        ([f"{n % 5},{n / 7:.3f}" for n in range(3000)], "x,label", "3,000 different labels"),
        ([f"{n % 5},name{n}" for n in range(200)], "x,label", "200 different labels"),
        (["1,2,0", "3,4,1"], "x,,label", "column 2 has no name"),
    ],
)
def test_columns_that_mislead_are_refused(tmp_path, lines, names, sentence):
    with pytest.raises(UserError, match=sentence):
        check(numbered(tmp_path, lines, names), tmp_path)


@pytest.mark.parametrize("values", [["0", "1", "2", "3+"], ["a1", "7", "8"], ["0", "1"]])
def test_a_few_words_among_a_few_numbers_are_categories(tmp_path, values):
    block = numbered(tmp_path, [f"{value},{n % 2}" for n in range(9) for value in values])
    check(block, tmp_path)
    inputs = load(block, tmp_path).train.inputs
    assert inputs.shape[-1] == (len(values) if len(values) > 2 else 1)


def test_words_in_both_forms_of_unicode_are_one(tmp_path):
    lines = [f"1,{unicodedata.normalize(form, 'é')}" for form in ("NFC", "NFD")]
    assert outline(numbered(tmp_path, [*lines, "1,x"]), tmp_path).classes == ("x", "é")


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
