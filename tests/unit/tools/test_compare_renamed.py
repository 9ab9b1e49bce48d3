"""Results under old names are compared with those under new ones: equal but for names and order."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.study.config import resolve
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import laid_over, read_yaml
from tools.compare_renamed import RENAMED, Renaming, compare, main

NAMES = """\
kind,old,new
setting,fbftl+head=lda,one_shot+head=lda
axis,votes,vote_count
heading,accuracy,Accuracy
"""
ROWS = [("fbftl", "fbftl", 1, "0.5"), ("fbftl+head=lda", "fbftl", 2, "0.25")]


def results(folder: Path, rows, names=("setting", "method", "votes", "accuracy")) -> Path:
    """Write a tidy table, a table without settings, and a run file and ledger of each setting."""
    (folder / "toy/runs").mkdir(parents=True)
    for name, columns in (("tidy", slice(None)), ("anonymous", slice(1, None))):
        with (folder / f"toy/{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(row[columns] for row in (names, *rows))
    for setting, method, votes, accuracy in rows:
        run = {"name": setting, "setting": {"method": method, names[2]: votes}, "is": accuracy}
        (folder / f"toy/runs/{setting}.json").write_text(json.dumps(run))
        ledger = pa.table(
            {"method": pa.array([method] * 2).dictionary_encode(), "bits": [3, votes]}
        )
        pq.write_table(ledger, folder / f"toy/runs/{setting}.parquet")
    return folder


@pytest.fixture
def renamed(tmp_path: Path) -> Path:
    path = tmp_path / "renamed.csv"
    path.write_text(NAMES)
    return path


def after(folder: Path, *, method: str = "one_shot", accuracy: str = "0.25") -> Path:
    rows = [("one_shot+head=lda", method, 2, accuracy), ROWS[0]]
    return results(folder, rows, ("setting", "method", "vote_count", "accuracy"))


def test_names_and_order_alone_may_differ(tmp_path, renamed, capsys):
    before, now = results(tmp_path / "before", ROWS), after(tmp_path / "after")
    assert main(str(before), str(now), str(renamed)) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["2 tables are equal", "2 run files are equal", "2 ledgers are equal"]


@pytest.mark.parametrize(
    ("departure", "differing"),
    [
        ({"accuracy": "0.250"}, ["anonymous.csv", "runs/one_shot+head=lda.json", "tidy.csv"]),
        (
            {"method": "fbftl"},
            ["runs/one_shot+head=lda.json", "runs/one_shot+head=lda.parquet", "tidy.csv"],
        ),
    ],
)
def test_a_number_or_a_method_that_does_not_follow_differs(tmp_path, renamed, departure, differing):
    before, now = results(tmp_path / "before", ROWS), after(tmp_path / "after", **departure)
    _, sentences = compare(before, now, Renaming.read(renamed))
    assert sentences == [f"toy/{name} differs" for name in differing]


def test_an_old_name_left_over_is_no_new_one(tmp_path, renamed):
    before, now = results(tmp_path / "before", ROWS), results(tmp_path / "after", ROWS)
    alike, sentences = compare(before, now, Renaming.read(renamed))
    assert {path.name for path in alike} == {"fbftl.parquet"}
    assert "toy/runs/fbftl+head=lda.json is only after" in sentences
    assert "toy/runs/one_shot+head=lda.json is only before" in sentences


def test_every_new_name_is_a_setting_of_the_studies_and_no_old_one_is(root: Path):
    systems, config = read_systems(root), read_yaml(root / "config.yaml")
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    others = {path.stem for path in root.glob("studies/*.yaml")} - {
        system.name for system in systems
    }
    configs = [config | {"papers": "all"}]
    # The study for a GPU is laid over another one.
    for name in sorted(others - {"cifar10-imagenet-gpu"}):
        configs.append(laid_over(config, read_yaml(root / f"studies/{name}.yaml")))
    studies = [resolve(laid, schema, systems) for laid in configs]
    tasks = [task for study in studies for task in study.settings.values()]
    made = {name for task in tasks for names in task.values() for name in names}
    renaming = Renaming.read(RENAMED)
    assert renaming.settings
    assert set(renaming.settings.values()) <= made
    assert not renaming.settings.keys() & made
