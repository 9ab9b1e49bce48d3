"""Several source networks of a task: what a call plans for them, and what their tables say."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd
from fbftl.findings.runs import read_tidy

SOURCES = 2
SEVERAL = {"tasks": {"digits": {"source_seeds": SOURCES}}}
ONE = {"tasks": {"digits": {"source_seeds": 1}}}

ADDED = {"source": 1, "extract": 1, "train": 1, "results_digits": 1}
ADDED |= {"results_papers-fbftl": 1, "results_index": 1}
"""Jobs of one more source network of the toy study, with its four settings."""


def test_a_further_source_leaves_the_first_one_alone_and_shows_both_parts(finished, reference):
    assert not finished.left(ONE).jobs
    assert finished.left(SEVERAL).jobs == Counter(ADDED)
    finished.finish(study=SEVERAL)
    assert finished.planned(study=SEVERAL) == Counter()
    assert finished.left().runs == 0

    now, before = finished.science(), reference.science()
    changed = {path for path, digest in before.items() if now[path] != digest}
    named = {path for path in changed if path.endswith(("index.html", "runs.csv", "key"))}
    assert changed == named

    task = finished.results / "digits"
    folders = [task, task / "source_seeds" / "1"]
    assert_sources_are_drawn_anew(folders)
    runs = [read_tidy(folder / "experiments/scarcity.csv") for folder in folders]
    assert [sorted(set(table["seed"])) for table in runs] == [[0, 1], [2, 3]]
    assert len(pd.read_csv(task / "tables/sources_scarcity.csv")) == 4
    drawn = pd.read_csv(task / "figures/sources_scarcity.csv")
    assert len(drawn) == 4 * SOURCES
    index = (finished.results / "index.html").read_text("utf-8")
    assert "tables/sources_scarcity.html" in index
    assert "figures/sources_scarcity.svg" in index


def assert_sources_are_drawn_anew(folders: list[Path]) -> None:
    """Compare the folders of a task and its repeat: all differs but the clients."""
    weights = {(folder / "source.safetensors").read_bytes() for folder in folders}
    assert len(weights) == len(folders)
    means = [json.loads((f / "source.json").read_text())["preprocessing"] for f in folders]
    assert means[0] != means[1], "both networks saw the same letters"
    digests = {(folder / "features.json").read_text() for folder in folders}
    assert len(digests) == len(folders)
    assert [path.name for path in folders[0].rglob("clients.h5")] == ["clients.h5"]
