"""Kept results of a system whose tasks were run one after the other, in folders of their own."""

from pathlib import Path

import pandas as pd
import pytest
from fbftl.findings.tables import ResultTable
from fbftl.ground.errors import UserError
from fbftl.papers.claims import Claim, Examined, Form
from fbftl.papers.comparisons import COLUMNS, ByTask, comparisons_table
from fbftl.papers.formulas import Decision
from fbftl.papers.kept_tasks import (
    merge_notes_of_tasks,
    merge_rows,
    merge_sentences,
    without_comparison,
)
from fbftl.papers.quantities import BySeed
from fbftl.papers.registry import BY_FORMULA, NOT_TESTABLE, TESTED, Sentence, number_tested
from fbftl.papers.sentences import sentences_table
from tabulate_sentences import COLUMNS as OF_SENTENCES

REGISTRY = [
    Sentence(
        row_id, "ants", "Ch. 1, p. 2", 'They "carry" | drag.', "order", "ants", "load", "", "more",
        status, "by weighing",
    )
    for row_id, status in {
        "a-1": TESTED, "a-2": BY_FORMULA, "a-3": TESTED, "a-4": NOT_TESTABLE, "a-5": TESTED,
    }.items()
]  # fmt: skip

UP, DOWN = (5.0, 5.1, 4.9), (-5.0, -5.1, -4.9)

PARTS = {"a-1": ("x", "y"), "a-3": ("x",), "a-5": ("x",)}

HILL = {("a-1", "x"): UP, ("a-3", "x"): UP}
DALE = {("a-1", "y"): UP, ("a-3", "x"): DOWN}
"""What is found on two tasks: together they run all of a-1, and a-3 depends on the task."""


def examined(found: dict[tuple[str, str], tuple[float, ...]]) -> list[Examined]:
    """Return every claim with what was found of it on a task."""
    none, every = BySeed(pd.Series(dtype=float)), []
    for sentence, part in ((s, p) for s, parts in PARTS.items() for p in parts):
        second = pd.Series(found.get((sentence, part), ()), dtype=float)
        claim = Claim(
            *(sentence, part, f"{part}, of all", lambda runs: (none, none)),
            *(Form.MORE, None, None, "points", False, ""),
        )
        every.append(Examined(claim, BySeed(0 * second), BySeed(second)))
    return every


def write(folder: Path, by_task: ByTask, **formula: Decision) -> Path:
    """Write both tables of what some tasks found, and return their folder."""
    folder.mkdir()
    tested = number_tested(REGISTRY)
    decided = {name.replace("_", "-"): decision for name, decision in formula.items()}
    sentences = sentences_table(REGISTRY, tested, by_task, decided)
    ResultTable(sentences, OF_SENTENCES).write(folder / "sentences.csv")
    of_sentences = dict.fromkeys(PARTS, tested["ants"])
    parts = comparisons_table(by_task, of_sentences)
    ResultTable(parts, COLUMNS).write(folder / "parts.csv")
    return folder


def merge(made: Path, kept: Path, *tasks: str) -> None:
    merge_rows(made / "parts.csv", kept / "parts.csv", tasks)
    merge_sentences(made / "sentences.csv", kept / "sentences.csv", tasks, made / "parts.csv")


def cells(folder: Path, column: str) -> dict[str, list[str]]:
    frame = pd.read_csv(folder / "sentences.csv", keep_default_na=False, dtype=str)
    return frame.groupby("sentence")[column].agg(list).to_dict()


@pytest.mark.parametrize("order", [("hill-full", "dale-full"), ("dale-full", "hill-full")])
def test_tasks_run_apart_come_to_what_they_come_to_together(tmp_path, order):
    found = {task: examined(HILL if task == "hill-full" else DALE) for task in order}
    first, second = order
    kept = write(tmp_path / "kept", {first: found[first]})
    made = write(tmp_path / "made", {second: found[second]})
    together = write(tmp_path / "together", found)
    merge(made, kept, second)
    for name in ("sentences.csv", "sentences.md", "parts.csv", "parts.md"):
        assert (made / name).read_text() == (together / name).read_text(), name
    assert cells(made, "overall")["a-1"] == ["holds", "holds"]
    assert cells(made, "overall")["a-3"] == ["depends on the case"] * 2
    assert cells(made, "task")["a-5"] == [""]


def test_a_task_run_again_takes_the_place_of_its_rows_alone(tmp_path):
    both = {"hill-full": examined(HILL), "dale-full": examined(DALE)}
    kept = write(tmp_path / "kept", both)
    made = write(tmp_path / "made", {"dale-full": examined(HILL)})
    merge(made, kept, "dale-full")
    assert cells(made, "overall")["a-1"] == ["undecided"] * 2
    assert cells(made, "overall")["a-3"] == ["holds"] * 2


def test_a_task_on_which_nothing_is_compared_is_named(tmp_path):
    made = write(tmp_path / "made", {"hill-full": examined(HILL)})
    tasks = ["hill-full", "dale-full"]
    assert without_comparison([made / "sentences.csv"], tasks) == ["dale-full"]
    of_hypotheses = tmp_path / "hypotheses.csv"
    of_hypotheses.write_text("sentence,task\nours,dale-full\n")
    assert without_comparison([made / "sentences.csv", of_hypotheses], tasks) == []


def test_a_task_that_is_not_named_is_not_taken_over(tmp_path):
    kept = write(tmp_path / "kept", {"hill-full": examined({("a-1", "x"): UP})})
    made = write(tmp_path / "made", {"hole-full": examined(HILL), "dale-full": examined(DALE)})
    merge(made, kept, "dale-full")
    assert cells(made, "task")["a-3"] == ["dale-full"]
    assert cells(made, "task")["a-1"] == ["hill-full", "dale-full"]


def test_a_computed_formula_stays_and_one_that_was_not_is_replaced(tmp_path):
    computed = Decision("the scales", "7 grams", True)
    kept = write(tmp_path / "kept", {"hill-full": examined(HILL)}, a_2=computed)
    made = write(tmp_path / "made", {"dale-full": examined(DALE)})
    merge(made, kept, "dale-full")
    assert cells(made, "measured")["a-2"] == ["7 grams"]

    kept = write(tmp_path / "older", {"hill-full": examined(HILL)})
    made = write(tmp_path / "newer", {"dale-full": examined(DALE)}, a_2=computed)
    merge(made, kept, "dale-full")
    assert cells(made, "verdict")["a-2"] == ["by formula: holds"]
    assert cells(made, "verdict")["a-4"] == ["not testable here"]


def test_rows_of_another_number_of_tested_sentences_are_refused(tmp_path):
    kept = write(tmp_path / "kept", {"hill-full": examined(HILL)})
    made = write(tmp_path / "made", {"dale-full": examined(DALE)})
    text = (kept / "parts.csv").read_text()
    (kept / "parts.csv").write_text(text.replace(",3\n", ",4\n"))
    with pytest.raises(UserError, match="a-1 was one of 4 tested sentences and is one of 3"):
        merge(made, kept, "dale-full")


def test_numbers_of_a_quick_study_among_other_sentences_are_left_out(tmp_path):
    kept = write(tmp_path / "kept", {"hill": examined(HILL)})
    for name in ("parts.csv", "sentences.csv"):
        text = (kept / name).read_text()
        changed = text.replace(",3\n", ",4\n").replace(",3,by", ",4,by")
        assert changed != text
        (kept / name).write_text(changed)
    made = write(tmp_path / "made", {"dale-full": examined(DALE)})
    together = write(tmp_path / "together", {"dale-full": examined(DALE)})
    merge(made, kept, "dale-full")
    for name in ("sentences.csv", "parts.csv"):
        assert (made / name).read_text() == (together / name).read_text()


def test_notes_have_the_runs_of_both_and_of_no_task_that_is_not_named():
    def notes(commit: str, *tasks: str) -> dict:
        made = {"commit": commit, "code": {}, "versions": {}, "arithmetic": []}
        return made | {"runs": {task: {"setting": commit} for task in tasks}}

    kept, made = notes("c1", "hill-full", "dale-full"), notes("c2", "dale-full", "hole-full")
    merged = merge_notes_of_tasks(made, kept, ["dale-full"])
    assert merged["runs"] == {"hill-full": {"setting": "c1"}, "dale-full": {"setting": "c2"}}
    assert [(each["commit"], each["tasks"]) for each in merged["earlier"]] == [
        ("c1", ["hill-full"])
    ]
