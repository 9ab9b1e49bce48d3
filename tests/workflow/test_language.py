"""The language task from end to end at toy size, on generated and on real dialogues."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from fbftl.features.store.opening import open_store
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.dialogues import id_bits
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


def stored(project: Project, name: str, suffix: str) -> Path:
    """Return a file of the one run of a setting."""
    runs = pd.read_csv(project.results / "dialogues" / "runs.csv").set_index("setting")
    return project.results / "store" / "runs" / f"{runs['key'][name]}.{suffix}"


def run_of(project: Project, name: str) -> dict[str, Any]:
    """Return the one repetition of a run."""
    (repetition,) = json.loads(stored(project, name, "json").read_bytes())["repetitions"]
    return repetition


def ledger_of(project: Project, name: str) -> pd.DataFrame:
    """Return the ledger of a run."""
    return pd.read_parquet(stored(project, name, "parquet"))


def test_a_finished_language_study_has_nothing_to_do(language: Project) -> None:
    assert set(language.planned(*TARGETS, study=TOY)) == {"features"}


def test_each_kind_of_task_is_extracted_by_its_own_script(language: Project) -> None:
    libraries = [
        open_store(manifest).provenance.libraries
        for manifest in language.results.glob("store/features/*/features.json")
    ]
    assert sorted("tokenizers" in each for each in libraries) == [False, True, True]


def test_ftl_c_scores_what_fbftl_scores(language: Project) -> None:
    fbftl, ftl_c = run_of(language, "fbftl+cut=2"), run_of(language, "ftl_c+cut=2")
    for value in ("series", "epoch", "rouge1", "rouge2", "rougeL", "received"):
        assert fbftl[value] == ftl_c[value]
    assert fbftl["uplink_bits"] != ftl_c["uplink_bits"]


def test_every_dialogue_has_a_row_with_the_bits_that_it_took(language: Project) -> None:
    up = ledger_of(language, "fbftl+cut=2").query("direction == 'up'")
    store = open_store(language.results / "dialogues" / "features" / "2.json")
    train, vocabulary = store.read("train"), 300
    assert len(up) == len(train) == 24
    tokens, labels = np.diff(train.token_offsets), np.diff(train.label_offsets)
    np.testing.assert_array_equal(up["token_id_bits"], tokens * id_bits(vocabulary))
    packed_ids = -(-labels * id_bits(vocabulary) // 8)
    sent = 9 + packed_ids + HEADER_BYTES + 4 * 16 * tokens  # a float per token and width
    np.testing.assert_array_equal(up["bits"], 8 * sent)
    assert up["sha256"].nunique() == 24
    assert run_of(language, "fbftl+cut=2")["uplink_bits"] == up["bits"].sum()


def test_ftl_f_sends_every_layer_in_every_round(language: Project) -> None:
    source = json.loads((language.results / "dialogues" / "source.json").read_text())
    ledger, run = ledger_of(language, "ftl_f"), run_of(language, "ftl_f")
    assert (ledger["payload_bits"] == 32 * source["parameters"]).all()
    up = ledger.query("direction == 'up'")
    assert up.groupby("round")["client"].nunique().eq(4).all()  # eight dialogues, two a client
    assert len(up) == 12 * len(run["series"]["loss"])  # every client once an epoch
    assert run["numbers_per_batch"] == source["parameters"]


def test_lost_dialogues_stand_in_the_ledger_and_are_not_trained_on(language: Project) -> None:
    up = ledger_of(language, "fbftl+plr=0.5").query("direction == 'up'")
    run = run_of(language, "fbftl+plr=0.5")
    assert run["offered"] == 24
    assert run["received"] == run["seen"] == (~up["lost"].astype(bool)).sum()
    assert 0 < run["received"] < 24


def test_table_figure_and_predictions_are_there(language: Project) -> None:
    folder = language.results / "dialogues"
    table = pd.read_csv(folder / "tables" / "language.csv")
    assert list(table["method"]) == ["ftl_f", "ftl_c", "fbftl"]
    assert list(table["trained_encoders"]) == [2, 2, 2]
    numbers = pd.read_csv(folder / "figures" / "language_scarcity.csv")
    assert list(numbers["plr"]) == [0.5]
    assert (folder / "figures" / "language_scarcity.svg").stat().st_size > 1000
    lines = (folder / "predictions" / "ftl_f.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    assert set(json.loads(lines[0])) == {"id", "dialogue", "summary", "predictions"}


def test_real_dialogues_go_through(fresh: Project, data_folder: Path) -> None:
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
                "source": {
                    "kind": "pretrain",
                    "vocabulary": 300,
                    "model": TINY | {"num_layers": 2},
                    "training": {"epochs": 1},
                },
                "features": {"cut": 1},
                "training": {"epochs": 1},
                "evaluation": {"longest": 6},
            }
        },
        "experiments": {"language": {"grids": [{"method": ["fbftl"]}]}},
    }
    fresh.finish("--", "results/samsum/tables/language.csv", study=study)
    assert pd.read_csv(fresh.results / "samsum" / "tables" / "language.csv")["seeds"].item() == 1


def study_of(root: Path, name: str, data_folder: Path) -> dict[str, Any]:
    """Return one of the project's studies with another data folder."""
    study = yaml.safe_load((root / "studies" / f"{name}.yaml").read_text(encoding="utf-8"))
    return study | {"data_folder": str(data_folder)}


def test_the_papers_study_is_planned_without_its_files(root: Path, fresh: Project) -> None:
    jobs = fresh.planned(study=study_of(root, "samsum-flan-t5", fresh.folder))
    assert (jobs["train"], jobs["extract"]) == (4, 1)


def test_the_local_study_is_planned_or_names_the_file_it_lacks(root: Path, fresh: Project) -> None:
    study = study_of(root, "samsum-local", fresh.folder)
    refused = fresh.call("--dry-run", study=study)
    assert refused.returncode != 0
    printed = refused.stdout + refused.stderr
    assert f"{fresh.folder}/samsum/train.jsonl is missing" in printed
    assert "Traceback" not in printed
    (fresh.folder / "samsum").mkdir()
    for split in ("train", "test"):
        lines = (
            json.dumps({"id": f"{split} {n}", "dialogue": "Ann: Hi.", "summary": f"Ann, {n}."})
            for n in range(1_000)
        )
        (fresh.folder / "samsum" / f"{split}.jsonl").write_text("\n".join(lines), "utf-8")
    assert fresh.planned(study=study)["train"] == 4
