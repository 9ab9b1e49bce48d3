"""Kept results of a paper's systems, renewed one after the other."""

import pytest
from fbftl.findings.kept_systems import (
    EARLIER,
    Renewed,
    merge_notes,
    merge_table,
    renewed,
    system_of,
)
from fbftl.ground.errors import UserError
from fbftl.study.systems import System

REGISTRY = [{"id": "a-01", "system": "ants"}, {"id": "b-01", "system": "bees"}]
STUDIES = [
    System("ants", "toys", {}, {"hill": {}}, {}),
    System("full/ants-large", "toys", {}, {"hill-full": {}}, {}),
    System("full/bees", "toys", {}, {"hive-full": {}}, {}),
]
ANTS = renewed(REGISTRY, STUDIES, ["ants"])


def write(folder, *lines: tuple[str, str, str]) -> None:
    """Write a table of sentence, task and number, and its Markdown."""
    folder.mkdir()
    head, rule = "sentence,task,number\n", "| sentence | task | number |\n| --- | --- | ---: |\n"
    csv = (",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    (folder / "t.csv").write_text(head + "".join(csv))
    (folder / "t.md").write_text(rule + "".join(f"| {' | '.join(line)} |\n" for line in lines))


def test_a_renewed_system_has_its_sentences_and_the_tasks_of_all_its_studies():
    assert Renewed({"a-01"}, {"hill", "hill-full"}) == ANTS
    assert system_of("splitmix-robust") == "robust"
    with pytest.raises(UserError, match="has no system wasps; give some of ants, bees"):
        renewed(REGISTRY, STUDIES, ["wasps"])


def test_rows_of_other_systems_stay_and_those_of_the_renewed_are_replaced(tmp_path):
    kept = [("a-01", "hill", "1"), ("b-01", "hive", "2"), ("ours", "hill", "3")]
    made = [("a-01", "hill-full", "4"), ("b-01", "", ""), ("ours", "hill-full", "5")]
    write(tmp_path / "kept", *kept, ("ours", "hive", "6"))
    write(tmp_path / "made", *made)
    merge_table(tmp_path / "made/t.csv", tmp_path / "kept/t.csv", ["a-01", "b-01"], ANTS)
    merged = [made[0], kept[1], ("ours", "hive", "6"), made[2]]
    write(tmp_path / "merged", *merged)
    for name in ("t.csv", "t.md"):
        assert (tmp_path / "made" / name).read_text() == (tmp_path / "merged" / name).read_text()


def test_a_table_whose_markdown_has_other_rows_is_refused(tmp_path):
    write(tmp_path / "kept", ("a-01", "hill", "1"))
    (tmp_path / "kept/t.md").write_text("| sentence |\n| --- |\n")
    with pytest.raises(UserError, match="have not as many rows"):
        merge_table(tmp_path / "kept/t.csv", tmp_path / "kept/t.csv", ["a-01"], ANTS)


def notes(commit: str, **runs: str) -> dict:
    """Return notes of results that a commit made."""
    made = {"commit": commit, "code": {}, "versions": {}, "arithmetic": []}
    return made | {"runs": {task: {"setting": digest} for task, digest in runs.items()}}


def test_notes_tell_what_made_the_runs_that_stay():
    hive = {"hive-full": "2"}
    first = merge_notes(notes("c2", **{"hill-full": "3"}), notes("c1", hill="1", **hive), ANTS)
    assert first["commit"] == "c2"
    assert first["runs"] == notes("", **{"hill-full": "3"}, **hive)["runs"]
    assert [(each["commit"], each["tasks"]) for each in first[EARLIER]] == [("c1", ["hive-full"])]

    bees = renewed(REGISTRY, STUDIES, ["bees"])
    second = merge_notes(notes("c3", **{"hive-full": "4"}), first, bees)
    assert [(each["commit"], each["tasks"]) for each in second[EARLIER]] == [("c2", ["hill-full"])]
    assert second["runs"]["hill-full"] == {"setting": "3"}
