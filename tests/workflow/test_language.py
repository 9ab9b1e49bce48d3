"""The language task from end to end at toy size, on generated and on real dialogues."""

import json
from typing import Any

import pandas as pd
import pytest
from fbftl.data.clients import ClientFile
from fbftl.features.store.reader import open_store
from project import Project

TINY = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_heads": 2, "num_decoder_layers": 1}
TOY: dict[str, Any] = {
    "seeds": [0],
    "study": {"tasks": ["dialogues", "digits"], "experiments": ["language", "language_scarcity"]},
    "tasks": {
        "dialogues": {
            "data": {"source": 60, "train": 24, "test": 6},
            "source": {"vocabulary": 300, "model": TINY, "training": {"epochs": 1}},
            "features": {"further_cuts": [2]},
            "training": {"epochs": 1, "least_updates": 4},
            "evaluation": {"longest": 6},
        }
    },
    "experiments": {
        "language": {
            "grids": [{"method": ["fbftl", "ftl_c"], "cut": [2]}, {"method": ["ftl_f"]}],
        },
        "language_scarcity": {"grids": [{"method": ["fbftl"], "plr": [0.5]}]},
    },
}
"""Laid over the default study: every method once, one loss rate, a second cut; images beside it."""

TARGETS = (
    "--",
    "results/dialogues/tables/language.csv",
    "results/dialogues/figures/language_scarcity.svg",
    "features",
)


@pytest.fixture(scope="module")
def language(template: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy in which the toy language study has run to its end; for reading only."""
    project = template.copy(tmp_path_factory.mktemp("language") / "project")
    project.finish(*TARGETS, study=TOY)
    return project


def test_a_finished_language_study_has_nothing_to_train(language):
    assert language.left(TOY).runs == 0


def test_each_kind_of_task_is_extracted_by_its_own_script(language):
    libraries = [
        open_store(manifest).provenance.libraries
        for manifest in language.results.glob("store/features/*/features.json")
    ]
    assert sorted("tokenizers" in each for each in libraries) == [False, True, True]


def test_table_figure_and_transcripts_are_there(language):
    folder = language.results / "dialogues"
    table = pd.read_csv(folder / "tables" / "language.csv")
    assert list(table["method"]) == ["ftl_f", "ftl_c", "fbftl"]
    assert list(table["trained_encoders"]) == [2, 2, 2]
    numbers = pd.read_csv(folder / "figures" / "language_scarcity.csv")
    assert list(numbers["plr"]) == [0.5]
    assert (folder / "figures" / "language_scarcity.svg").stat().st_size > 1000
    listed = pd.read_csv(folder / "runs.csv")
    key = listed.loc[listed["setting"] == "ftl_f", "key"].iloc[0]
    run = json.loads((language.results / f"store/runs/{key}.json").read_text(encoding="utf-8"))
    assert len(run["transcript"]) == 6
    assert set(run["transcript"][0]) == {"id", "dialogue", "summary", "predictions"}


def test_real_dialogues_are_dealt(fresh, data_folder):
    """From then on they are as generated ones."""
    study = {
        "data_folder": str(data_folder),
        "seeds": [0],
        "study": {"tasks": ["samsum"], "experiments": ["language"]},
        "tasks": {
            "samsum": {
                "kind": "dialogues",
                "data": {
                    "kind": "jsonl",
                    "train": "samsum/train.jsonl",
                    "test": "samsum/test.jsonl",
                    "source": 20,
                    "limit": {"train": 20, "test": 4},
                },
                "source": {"kind": "pretrain", "model": TINY | {"num_layers": 2}},
                "features": {"cut": 1},
            }
        },
        "experiments": {"language": {"grids": [{"method": ["fbftl"]}]}},
    }
    assert fresh.left(study).runs == 1
    fresh.finish("--until", "clients", study=study)
    (path,) = fresh.results.glob("store/clients/*/clients.h5")
    with ClientFile(path) as file:
        assert (file.count("train"), file.count("test")) == (20, 4)
