"""Vectors: people in groups drawn here, tables from files and their schema, what they become."""

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import torch
from fbftl.data.clients import ClientFile, write_clients
from fbftl.data.datasets import check, load, outline
from fbftl.data.datasets import training_count as counted
from fbftl.data.datasets.base import digest
from fbftl.data.datasets.groups import sampled
from fbftl.data.images import dealt_out
from fbftl.data.preprocess import AS_THEY_ARE, Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.source.check import require_one_kind

GROUPS = {"kind": "groups", "samples": 3000, "test_per_group": 2000, "rates": [0.35, 0.15]}
GROUPS |= {"class_shift": 0.6, "group_shift": 1.0, "limit": None, "seed": 0}
CLIENTS = {"partition": "iid", "samples_per_client": 100, "clients": None, "domains": None}
COLUMNS = {"label_column": "income", "group_column": "sex", "client_column": None}
CSV = """age, sex, colour,income
20,Female,blue,low
30,Male,green,high
40,Female,blue,low
50,Male, red,high
60,Female,green,low
"""


def table(folder: Path, text: str = CSV, **changes) -> dict:
    (folder / "people.csv").write_text(text, encoding="utf-8")
    spec = {"kind": "table", "train": "people.csv", "test_fraction": 0.2, "seed": 0}
    return spec | COLUMNS | changes


def test_as_many_shares_as_groups_are_asked_for():
    with pytest.raises(UserError, match="shares has 3 numbers for 2 groups"):
        check(GROUPS | {"shares": [1, 1, 2]}, None)


@pytest.mark.parametrize("rates", [[0.35, 0.15], [0.2, 0.5, 0.8]])
def test_groups_differ_as_they_are_said_to(rates):
    people = load(GROUPS | {"rates": rates}, None)
    count = len(rates) * 2000
    assert people.test.inputs.shape == (count, 1, 1, 20)
    assert people.test.inputs.dtype == np.float32
    values, labels, groups = people.test.inputs[:, 0, 0], people.test.labels, people.test.groups
    assert np.bincount(groups).tolist() == [2000] * len(rates)
    for group, rate in enumerate(rates):
        rows = groups == group
        assert abs(labels[rows].mean() - rate) < 0.05
        centre = np.linspace(1, -1, len(rates))[group]
        np.testing.assert_allclose(values[rows, 4:8].mean(0), centre, atol=0.1)
    for label in (0, 1):
        np.testing.assert_allclose(values[labels == label, :4].mean(0), 1.2 * label - 0.6, atol=0.1)
    np.testing.assert_allclose(values[:, 8:].std(0), 1, atol=0.05)
    # Who sees row numbers learns nothing: neighbours are of one group as often as chance has it.
    same = np.mean(groups[1:] == groups[:-1])
    assert abs(same - 1 / len(rates)) < 0.04


def test_the_client_file_holds_groups_apart_from_what_clients_hold(tmp_path):
    write_clients(tmp_path / "clients.h5", *dealt_out(GROUPS, CLIENTS, None, 0))
    people = load(GROUPS, None)
    with ClientFile(tmp_path / "clients.h5") as file:
        assert sorted(file.rows("train", 0, 1).arrays) == ["label", "pixels"]
        np.testing.assert_array_equal(
            file.groups("train"), people.train.groups[file.column("train", "sample")]
        )


def test_vectors_enter_networks_as_they_are():
    vectors = np.random.default_rng(0).normal(size=(3, 1, 1, 5)).astype(np.float32)
    inputs = preprocess(vectors, AS_THEY_ARE)
    assert inputs.shape == (3, 5, 1, 1)
    torch.testing.assert_close(inputs[:, :, 0, 0], torch.from_numpy(vectors[:, 0, 0]))
    document = AS_THEY_ARE.document() | {"pool": "none"}
    assert Preprocessing.of(document) == AS_THEY_ARE
    silent = {"size": None, "mean": None, "std": None}
    assert AS_THEY_ARE.overridden(silent) == AS_THEY_ARE


def test_a_table_is_encoded_by_its_training_rows(tmp_path):
    spec = table(tmp_path)
    check(spec, tmp_path)
    people = load(spec, tmp_path)
    assert (len(people.train), len(people.test)) == (4, 1) == (counted(spec, tmp_path), 1)
    assert people.classes == ("high", "low")
    values = people.train.inputs[:, 0, 0]
    # age, then a column for each colour of a training row.
    np.testing.assert_allclose(values[:, 0].mean(), 0, atol=1e-6)
    np.testing.assert_allclose(values[:, 0].std(), 1, atol=1e-6)
    np.testing.assert_array_equal(values[:, 1:].sum(1), 1)
    # Females earn little here, males much: class and group are each other's opposite.
    np.testing.assert_array_equal(people.train.groups, 1 - people.train.labels)


def test_csv_and_parquet_say_the_same(tmp_path):
    names = ["age", "sex", "colour", "income"]
    rows = [line.replace(", ", ",").split(",") for line in CSV.splitlines()[1:]]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    columns["age"] = list(map(int, columns["age"]))
    pa.parquet.write_table(pa.table(columns), tmp_path / "people.parquet")
    csv = load(table(tmp_path), tmp_path)
    assert digest(load(table(tmp_path, train="people.parquet"), tmp_path)) == digest(csv)


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (CSV, {"group_column": "race"}, "has no column 'race'"),
        (CSV.replace("blue", "?"), {}, r"lacks values in colour \(2\)"),
        ("sex,income\nMale,low\nFemale,high\n", {}, "no columns left as inputs"),
        ("sex,income\nMale\n", {}, "cannot be read"),
        ("age,sex,income\n", {}, "has no rows"),
    ],
)
def test_a_table_with_faults_ends_in_a_sentence(tmp_path, text, changes, message):
    with pytest.raises(UserError, match=message):
        check(table(tmp_path, text, **changes), tmp_path)


def test_vectors_and_images_do_not_go_together():
    plain = {"size": None, "mean": None, "std": None}
    block = {"data": GROUPS, "source": {"kind": "vectors"}, "features": plain, "clients": CLIENTS}
    require_one_kind("config: tasks.x", block)
    for change in (
        {"source": {"kind": "pretrain"}},
        {"data": {"kind": "digits"}},
        {"clients": CLIENTS | {"domains": ["plain"]}},
        {"features": plain | {"size": 8}},
    ):
        with pytest.raises(UserError, match=r"config: tasks\.x"):
            require_one_kind("config: tasks.x", block | change)


def test_groups_have_the_shares_that_are_given_in_training():
    spec = GROUPS | {"samples": 1014, "shares": [6, 20], "seed": 0}
    spec |= {"class_shift": 0.6, "group_shift": 1.0}
    counts = [
        np.bincount(sampled(spec, split, n).groups) for split, n in (("train", 1014), ("test", 100))
    ]
    assert [count.tolist() for count in counts] == [[234, 780], [50, 50]]


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
        ("x,label\n1,0\n2,1\n", "x,label\n1,yes\n2,no\n", "has the class no, of which data.train"),
        (
            "x,label\n1,0\n2,1\n",
            "y,label\n1,0\n2,1\n",
            r"has the columns y \(numbers\), label",
        ),
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
    with pytest.raises(UserError, match=r"the data name a client '../a'; use letters"):
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
