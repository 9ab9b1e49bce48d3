"""What a change reruns: what is missing in the store, then results of another plan, and no more."""

import os
import shutil
from collections import Counter
from typing import Any

import pandas as pd
import pytest
from fbftl.ground.code import NOT_DECIDING

RESULTS = Counter(results_digits=1, **{"results_papers-fbftl": 1}, results_index=1)
TRAINED = RESULTS + Counter(train=1)
EXTRACTED = TRAINED + Counter(extract=1)
FROM_SOURCE = EXTRACTED + Counter(networks=1, source=1)
WHOLE = FROM_SOURCE + Counter(clients=1, results_papers=1, all=1)


def digits(**keys: Any) -> dict[str, Any]:
    """Return a study that says something else of the toy task."""
    return {"tasks": {"digits": keys}}


def scarcity(**axes: list[Any]) -> dict[str, Any]:
    """Return a study that replaces the toy study's grid."""
    return {"experiments": {"scarcity": {"grids": [axes]}}}


def test_a_fresh_copy_plans_the_whole_study_and_writes_nothing(fresh):
    before = sorted(fresh.folder.rglob("*"))
    assert fresh.planned() == WHOLE
    written = {path for path in fresh.folder.rglob("*") if path not in before}
    assert not [path for path in written if ".snakemake" not in path.parts], written
    assert fresh.left().jobs + Counter(all=1) == WHOLE


def test_a_copy_of_a_finished_study_has_nothing_to_do(finished):
    shutil.rmtree(finished.folder / ".snakemake")
    assert finished.planned() == Counter()


def test_one_more_seed_trains_that_seed_and_goes_again(finished):
    there, tables, before = finished.runs(), finished.tables(), finished.stored()
    finished.finish(study=digits(seeds=[0, 1, 7]))
    runs = finished.runs()
    assert {seed for _, seed in runs.keys() - there.keys()} == {"7"}
    listed = pd.read_csv(finished.results / "digits/runs.csv")
    tidy = pd.read_csv(finished.results / "digits/experiments/scarcity.csv")
    assert listed["accuracy"].sum() == pytest.approx(tidy["test_accuracy"].sum())
    assert runs.items() >= there.items()
    assert len(finished.stored() - before) == 2 * 4
    assert finished.tables() != tables
    assert finished.left().jobs == RESULTS
    finished.finish()
    assert finished.tables() == tables


def test_a_second_folder_with_the_same_store_trains_the_other_half(fresh, reference):
    half = scarcity(fraction=[1.0, 0.25], plr=[0.0, 0.5])
    left = fresh.left(half | {"store": str(reference.results / "store")})
    assert set(left.jobs) == {*RESULTS, "train", "results_papers"}
    assert left.runs == 2 * 2


CHANGES = {
    "scripts/figures/plot_fbftl.py": RESULTS,
    "scripts/fbftl/training/stacked.py": TRAINED,
    "scripts/fbftl/features/extract.py": EXTRACTED,
    "scripts/fbftl/data/letters.py": FROM_SOURCE,
}
"""A file and the jobs that a statement added to it makes necessary."""


@pytest.mark.parametrize("path", CHANGES)
def test_a_changed_file_reruns_what_uses_it(finished, path):
    finished.append(path, "\nCHANGED = 1\n")
    assert finished.left().jobs == CHANGES[path]


UNUSED = (
    "scripts/stages/make_products.py",
    "scripts/stages/train_batch.py",
    "scripts/fbftl/methods/ftl_f/run.py",
    "scripts/fbftl/training/local_network.py",
    "scripts/fbftl/ground/progress.py",
    "scripts/fbftl/data/datasets/parquet.py",
    "README.md",
)
"""Files that decide nothing of the toy study."""


def test_other_files_comments_docstrings_and_times_rerun_nothing(finished):
    for path in UNUSED:
        finished.append(path, "\nCHANGED = 1\n")
    for path in (finished.folder / "scripts").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"# why\n{text}\n\n\n# so\n'another docstring'\n", encoding="utf-8")
    for name in ("Snakefile", "config.yaml", "rules/train.smk", "results/digits/clients.h5"):
        os.utime(finished.folder / name)
    assert finished.planned() == Counter()


LOST = ("digits/tables/scarcity.csv", "digits/key", ".made/results/digits.*", "digits/runs.csv")


def test_results_and_runs_that_were_removed_are_made_again(finished):
    before = finished.science()
    key = next(iter(finished.runs().values()))
    lost = [path for name in LOST for path in finished.results.glob(name)]
    assert len(lost) == len(LOST)
    for path in lost:
        aside = path.rename(path.with_name("aside"))
        jobs = finished.left().jobs
        assert (jobs["results_digits"], jobs["train"]) == (1, 0), path
        aside.rename(path)
    assert not finished.left().jobs
    for path in (*lost, finished.results / "store/runs" / f"{key}.json"):
        path.unlink()
    assert finished.left().runs == 1
    finished.finish()
    assert finished.science() == before
    assert finished.planned() == Counter()


def test_a_run_that_was_edited_is_named_and_never_used(finished):
    run = finished.results / "store/runs" / f"{finished.runs()['fbftl', '0']}.json"
    run.chmod(0o644)
    run.write_text(run.read_text().replace('"seed": 0', '"seed": 5'))
    (finished.results / "digits/key").unlink()
    next((finished.results / ".made/results").glob("digits.*")).unlink()
    done = finished.call()
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if run.name in line]
    assert lines
    assert "remove it" in lines[0]
    assert "digits has no tables and figures" in lines[0]


STUBS = {
    "fbftl.ground.provenance": """
def record(*how):
    return {}
def commit():
    return None
""",
}
"""Modules that are said to decide nothing, with as little in them as those who use them need."""


def test_modules_that_decide_nothing_change_no_byte(finished, reference):
    """Nor does another folder, another order of jobs or another number of cores."""
    assert {*STUBS, "fbftl.ground.logs", "fbftl.ground.timings"} == NOT_DECIDING
    for name, text in STUBS.items():
        path = finished.folder / "scripts" / name.replace(".", "/")
        path.with_suffix(".py").write_text(text, encoding="utf-8")
    assert not finished.left().jobs
    for path in finished.results.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    finished.finish()
    assert finished.science() == reference.science()


@pytest.mark.parametrize("options", [("--touch",), ("--forcerun", "train")])
def test_options_of_snakemake_do_no_harm(finished, options):
    before = finished.science()
    done = finished.call(*options)
    assert done.returncode == 0, done.stderr
    assert finished.science() == before
    assert not finished.left().jobs


def test_all_output_deleted_leaves_the_store(finished):
    store = finished.science().keys() - finished.tables().keys()
    finished.finish("--delete-all-output")
    assert finished.science().keys() >= store
    assert not (finished.results / "digits/tables/scarcity.csv").exists()
    assert finished.left().runs == 0


def test_ten_thousand_settings_are_planned(untouched):
    fractions, losses = ([(i + offset) / 100 for i in range(100)] for offset in (1, 0))
    study = scarcity(fraction=fractions, plr=losses)
    left = untouched.left(study)
    assert 0 < left.jobs["train"] <= 4
    assert left.runs == 2 * 100 * 100
