"""What is kept of a finished study."""

import csv
from pathlib import Path

import pandas as pd
import pytest
import renew_results
from fbftl.findings import kept
from fbftl.findings.kept import KEPT
from fbftl.findings.tables import MOST_ROWS, WHOLE, Column, ResultTable
from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json
from fbftl.study.systems import System


@pytest.fixture
def folder(tmp_path):
    """A project with a finished task, one that repeats it under another source, and a paper."""
    rows = ["task,setting,seed,key", "ants,fbftl,7,1e2", "ants,fbftl,8,b"]
    rows.append("ants/source_seeds/1,fbftl,9,c")
    (tmp_path / "results/ants").mkdir(parents=True)
    (tmp_path / "results/ants/runs.csv").write_text("\n".join(rows))
    for path in (
        "ants/tables/t.csv", "ants/tables/t.md", "ants/tables/t.tex", "ants/numbers.json",
        "ants/figures/f.svg", "ants/figures/g.svg", "ants/experiments/walk.csv",
        "ants/experiments/walk.series.csv", "bees/experiments/fly.csv",
        "papers/toys/tables/sentences.csv",
    ):  # fmt: skip
        (tmp_path / "results" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "results" / path).touch()
    (tmp_path / KEPT).mkdir(parents=True)
    lines = ("folder,figure", "ants,ants/figures/f", "papers/toys,ants/figures/g")
    (tmp_path / kept.FIGURES).write_text("\n".join(lines))
    return tmp_path


SYSTEMS = [System("walker", "toys", {}, {}, {"walk": {}}), System("fly", "others", {}, {}, {})]


def test_tables_numbers_and_the_listed_figures_are_kept(folder):
    places = kept.files_of(folder, "ants").values()
    below = [path.relative_to(folder / KEPT / "ants").as_posix() for path in places]
    assert sorted(below) == ["figures/f.svg", "numbers.json", "tables/t.csv", "tables/t.md"]


def test_a_long_table_is_cut_and_a_short_one_or_one_of_claims_is_not(tmp_path):
    rows = pd.DataFrame({"a": range(MOST_ROWS + 1)})
    for name, frame in {"t": rows, "u": rows.iloc[1:], "claims": rows}.items():
        ResultTable(frame, [Column("a", "A")]).write(tmp_path / f"{name}.csv")
    pages = {name: (tmp_path / f"{name}.md").read_text() for name in ("t", "u", "claims")}
    last = f"The first {MOST_ROWS} of {MOST_ROWS + 1} rows; [t.csv](t.csv) has all of them.\n"
    assert pages["t"].endswith(f"| {MOST_ROWS - 1} |\n\n{last}")
    assert pages["u"].endswith(f"| {MOST_ROWS} |\n")
    assert pages["claims"].endswith(f"| {MOST_ROWS} |\n")


def test_no_kept_table_is_longer_than_a_reader_reads(root):
    for page in (root / KEPT).glob("**/tables/*.md"):
        lines = page.read_text(encoding="utf-8").splitlines()
        rows = sum(line.startswith("| ") for line in lines) - 2
        assert page.stem in WHOLE or rows <= MOST_ROWS, page


def test_a_figure_of_another_folder_has_its_name_before(folder):
    places = kept.files_of(folder, "papers/toys").values()
    below = [path.relative_to(folder / KEPT / "papers/toys").as_posix() for path in places]
    assert sorted(below) == ["figures/ants-g.svg", "tables/sentences.csv"]


def test_a_listed_figure_that_was_not_made_is_refused(folder):
    (folder / "results/ants/figures/f.svg").unlink()
    with pytest.raises(UserError, match=r"lists ants/figures/f, but results/ants/figures/f\.svg"):
        kept.files_of(folder, "ants")


MOST_FIGURES = 9
"""Of one folder: more than that no reader looks at."""


def test_the_project_keeps_the_figures_that_it_lists(root):
    listed = kept.listed_figures(root)
    assert max(map(len, listed.values())) <= MOST_FIGURES
    folders = {p.parents[1] for p in (root / KEPT).glob("**/figures/*.svg")}
    there = {
        folder.relative_to(root / KEPT).as_posix(): {p.stem for p in folder.glob("figures/*.svg")}
        for folder in folders
    }
    assert {name: len(figures) for name, figures in listed.items()} == {
        name: len(stems) for name, stems in there.items()
    }
    for name, figures in listed.items():
        assert {figure.rpartition("/")[2] for figure in figures} == {
            stem.rpartition("-")[2] for stem in there[name]
        }
    with open(root / kept.FIGURES, newline="") as file:
        rows = [tuple(row) for row in csv.reader(file)]
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    ("name", "tasks"), [("ants", ["ants"]), ("papers/toys", ["ants"]), ("papers/fbftl", ["bees"])]
)
def test_a_paper_rests_on_the_tasks_with_its_experiments(folder, name, tasks):
    assert kept.tasks_of(folder / "results", name, SYSTEMS) == tasks


def test_every_run_of_a_task_and_of_its_repeats_is_kept_by_its_key(folder):
    runs = kept.runs_of(folder / "results", ["ants"])
    assert runs == {
        "ants": {"fbftl": {"seeds": [7, 8], "keys": ["1e2", "b"]}},
        "ants/source_seeds/1": {"fbftl": {"seeds": [9], "keys": ["c"]}},
    }


def test_what_is_kept_of_a_study_names_commits_arithmetic_and_runs(folder, root, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("config.yaml", "studies"):
        (folder / name).symlink_to(root / name)
    store = Store(folder / "results/store")
    for number, key in enumerate(["1e2", "b", "c"]):
        made = {"commit": f"a{number % 2}", "arithmetic": {"exact": True}}
        store.put_json("runs", key, {"made": made})
    notes = renew_results.finished(Path(), "ants")
    assert (notes["commit"], notes["arithmetic"]) == ("a0, a1", [{"exact": True}])
    assert notes["runs"] == kept.runs_of(folder / "results", ["ants"])
    store.put_note(
        "runs", "b", {"made": {"arithmetic": {"exact": False, "not_exact_because": "x"}}}
    )
    with pytest.raises(UserError, match="was not computed exactly, because x"):
        renew_results.finished(Path(), "ants")


def test_a_clone_explains_every_kept_run_whose_recipe_is_kept(root):
    for path in sorted((root / kept.KEPT).glob("*/recipes.json")):
        recipes, made = read_json(path, "recipes"), read_json(path.with_name("made.json"), "runs")
        for task, settings in recipes["runs"].items():
            for name, recipe in settings.items():
                of_setting = made["runs"][task][name]
                for seed, key in zip(of_setting["seeds"], of_setting["keys"], strict=True):
                    assert key_of(canonical({"seed": seed, "setting": recipe})) == key
                assert {*recipe["reads"].values()} <= {*recipes["read"]}
        for key, recipe in recipes["read"].items():
            assert key_of(canonical(recipe)) == key
