"""Vectors: people in groups drawn here, tables from files, and what they become."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import torch
from fbftl.data.clients import ClientFile, write_clients
from fbftl.data.datasets import check, load
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
        (CSV.replace("high", "low"), {}, "one value only in the label column 'income'"),
        ("sex,income\nMale,low\nFemale,high\n", {}, "no columns left as inputs"),
        ("sex,income\nMale\n", {}, "is no table"),
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
