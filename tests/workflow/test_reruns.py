"""What a change reruns: exactly what depends on it, and nothing when nothing depends on it.

Counted are the jobs on the way from clients to the scarcity table and figure; what else a study
makes of them is left out, except where nothing at all may run.
"""

import io
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.ground.code import NOT_DECIDING
from PIL import Image
from project import Project

SENTENCES = Counter(tabulate_sentences=1, tabulate_parts=1, tabulate_hypotheses=1)
FROM_TABLE = SENTENCES + Counter(tabulate_scarcity=1, plot_scarcity=1, write_numbers=1)
FROM_RUNS = FROM_TABLE + Counter(train=4, collect=1)
FROM_EXTRACTION = FROM_RUNS + Counter(extract_digits=1)
FROM_FEATURES = FROM_EXTRACTION + Counter(describe=1)
PAPER_FIGURES = Counter(plot_paper_packet_loss=1, plot_retransmission=1)
PAPER = PAPER_FIGURES + Counter(
    tabulate_audit=1, tabulate_paper_methods=1, tabulate_paper_language=1
)
WHOLE = FROM_FEATURES + PAPER + Counter(clients=1, source=1)


def jobs(project: Project, **study: Any) -> Counter[str]:
    """Return the jobs that a dry run lists on the way to the scarcity table and figure."""
    return Counter({rule: n for rule, n in project.planned(**study).items() if rule in WHOLE})


def scarcity(**axes: list[Any]) -> dict[str, Any]:
    """Return an overlay that replaces the toy study's grid."""
    return {"experiments": {"scarcity": {"grids": [axes]}}}


def test_a_fresh_copy_plans_the_whole_study(fresh: Project) -> None:
    assert jobs(fresh) == WHOLE
    assert fresh.science().keys() == {"README.md"}


def test_a_finished_study_has_nothing_to_do(finished: Project) -> None:
    assert finished.planned() == Counter()


def test_one_more_packet_loss_rate_is_one_more_training_job(finished: Project) -> None:
    study = scarcity(fraction=[1.0], plr=[0.0, 0.5, 0.7])
    assert jobs(finished, study=study) == FROM_RUNS - Counter(train=3)


def test_a_smaller_grid_trains_nothing(finished: Project) -> None:
    assert finished.planned(study=scarcity(plr=[0.0, 0.5]))["train"] == 0


def test_a_changed_training_value_trains_again(finished: Project) -> None:
    study = {"tasks": {"digits": {"training": {"learning_rate": 0.02}}}}
    assert jobs(finished, study=study) == FROM_RUNS


def test_swapped_training_values_train_again(finished: Project) -> None:
    """Two values that change places are a change, although the set of values stays the same."""
    study = {"tasks": {"digits": {"training": {"momentum": 0.25, "validation": 0.125}}}}
    swapped = {"tasks": {"digits": {"training": {"momentum": 0.125, "validation": 0.25}}}}
    finished.finish(study=study)
    assert finished.planned(study=study) == Counter()
    assert jobs(finished, study=swapped) == FROM_RUNS


def test_a_changed_cut_extracts_again_and_makes_no_client_or_source(finished: Project) -> None:
    study = {"tasks": {"digits": {"features": {"cut": "fc1"}}}}
    assert jobs(finished, study=study) == FROM_FEATURES


CHANGES = {
    "scripts/figures/plot_scarcity.py": Counter(plot_scarcity=1),
    "scripts/tables/tabulate_scarcity.py": Counter(tabulate_scarcity=1),
    "scripts/stages/collect_runs.py": FROM_TABLE + Counter(collect=1),
    "scripts/fbftl/findings/style.py": PAPER_FIGURES + Counter(plot_scarcity=1),
    "scripts/fbftl/training/stacked.py": FROM_RUNS,
    "scripts/fbftl/methods/fbftl/run.py": FROM_RUNS,
    "scripts/fbftl/methods/ftl_f/run.py": Counter(),
    "scripts/fbftl/learners/lockstep.py": FROM_RUNS,
    "scripts/fbftl/learners/local.py": Counter(),
    "scripts/fbftl/features/store/writer.py": FROM_EXTRACTION,
    "scripts/fbftl/features/extract.py": FROM_EXTRACTION,
    "scripts/fbftl/features/store/reader.py": FROM_RUNS,
    "scripts/fbftl/features/store/repair.py": Counter(),
    "scripts/fbftl/ground/progress.py": Counter(),
    "scripts/fbftl/data/letters.py": FROM_FEATURES + Counter(source=1),
    "scripts/fbftl/data/partition.py": FROM_FEATURES + Counter(clients=1),
    "scripts/fbftl/data/datasets/digits.py": FROM_FEATURES + Counter(clients=1),
    "scripts/fbftl/ground/files.py": WHOLE,
    "README.md": Counter(),
    "tests/conftest.py": Counter(),
}
"""A file and the jobs that a statement added to it makes necessary."""


@pytest.mark.parametrize("path", CHANGES)
def test_a_changed_file_reruns_what_uses_it(finished: Project, path: str) -> None:
    finished.append(path, "\nCHANGED = 1\n")
    assert jobs(finished) == CHANGES[path]


def test_touched_files_rerun_nothing(finished: Project) -> None:
    for path in (finished.folder / "scripts").rglob("*.py"):
        os.utime(path)
    for name in ("Snakefile", "config.yaml", "rules/train.smk"):
        os.utime(finished.folder / name)
    assert finished.planned() == Counter()


def test_comments_and_docstrings_rerun_nothing(finished: Project) -> None:
    for path in (finished.folder / "scripts").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"# why\n{text}\n\n\n# so\n'another docstring'\n", encoding="utf-8")
    assert finished.planned() == Counter()


def test_touched_results_rerun_nothing_whatever_their_size(finished: Project) -> None:
    """Content decides: Snakemake is told to take every file for one too large to compare."""
    for name in ("clients.h5", "source.safetensors", "features.zarr/zarr.json"):
        os.utime(finished.results / "digits" / name)
    assert finished.planned("--max-checksum-file-size", "0") == Counter()


@pytest.fixture
def pictures(fresh: Project) -> Path:
    """Twelve pictures in a folder, partitioned over clients."""
    for number in range(12):
        path = fresh.folder / "data" / "cats" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((8, 8), number, np.uint8)).save(path)
    fresh.finish(*PARTITION, study=PICTURES)
    assert fresh.planned(*PARTITION, study=PICTURES) == Counter()
    return fresh.folder / "data" / "cats"


PICTURES = {
    "data_folder": "data",
    "tasks": {"digits": {"data": {"kind": "folder", "train": ".", "channels": 1}}},
}
PARTITION = ("--", "results/digits/clients.h5")


def test_a_picture_overwritten_in_its_folder_is_noticed(fresh: Project, pictures: Path) -> None:
    status = pictures.stat()
    (pictures / "3.png").write_bytes((pictures / "4.png").read_bytes())
    os.utime(pictures, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fresh.planned(*PARTITION, study=PICTURES) == Counter(clients=1)


def test_a_data_file_counts_by_its_content(fresh: Project) -> None:
    """Touched it is the same, replaced under an older date it is another."""
    (fresh.folder / "data").mkdir()
    path = fresh.folder / "data" / "digits.parquet"
    encoded = [picture(number) for number in range(40)]
    labels = [number % 2 for number in range(40)]
    pq.write_table(pa.table({"img": encoded, "label": labels}), path)
    study = {
        "data_folder": "data",
        "tasks": {"digits": {"data": {"kind": "parquet", "train": path.name, "channels": 1}}},
    }
    fresh.finish(*PARTITION, study=study)
    os.utime(path)
    touched = fresh.planned("--max-checksum-file-size", "0", *PARTITION, study=study)
    assert touched == Counter()
    pq.write_table(pa.table({"img": encoded[::-1], "label": labels}), path)
    os.utime(path, (0, 0))
    assert fresh.planned(*PARTITION, study=study) == Counter(clients=1)


def picture(shade: int) -> dict[str, Any]:
    """Return an encoded picture of 8 x 8 pixels as Parquet files hold it."""
    with io.BytesIO() as file:
        Image.fromarray(np.full((8, 8), shade, np.uint8)).save(file, "PNG")
        return {"bytes": file.getvalue(), "path": None}


STUBS = {
    "fbftl.ground.logs": """
import logging
log = logging.getLogger("stub")
def run_job(job, main):
    main(job)
""",
    "fbftl.ground.progress": """
class ProgressBar:
    def __call__(self, *told):
        pass
""",
    "fbftl.ground.provenance": """
def record(*how):
    return {}
def commit():
    return None
def lock_digest():
    return ""
LOCK = ""
""",
    "fbftl.ground.records": "",
    "fbftl.ground.seals": """
def seals(outputs):
    return []
def require_unbroken(*results):
    pass
def require_whole_stores(records):
    pass
""",
    "fbftl.features.again": "",
    "fbftl.features.store.repair": "",
}
"""Modules that are said to decide nothing, with as little in them as those who use them need."""


def test_modules_that_decide_nothing_change_no_byte(finished: Project, reference: Project) -> None:
    assert STUBS.keys() == NOT_DECIDING
    for name, text in STUBS.items():
        path = finished.folder / "scripts" / name.replace(".", "/")
        path.with_suffix(".py").write_text(text, encoding="utf-8")
    assert finished.planned() == Counter()
    shutil.rmtree(finished.results / "digits")
    finished.finish("--", "results/digits/runs/fbftl.json")
    whole = reference.science()
    again = finished.science()
    assert {"digits/clients.h5", "digits/features.json", "digits/runs/fbftl.json"} <= again.keys()
    assert again == {name: whole[name] for name in again}


def test_the_kind_of_data_decides_which_reader_counts(finished: Project) -> None:
    finished.append("scripts/fbftl/data/datasets/parquet.py", "\nCHANGED = 1\n")
    assert finished.planned() == Counter()


def test_equal_features_leave_the_runs_alone(finished: Project) -> None:
    """Extracted again on its own, a store of equal content starts no training."""
    finished.finish("--forcerun", "extract_digits", "--", "features")
    assert finished.planned() == Counter()


def test_a_removed_run_is_made_again(finished: Project) -> None:
    (finished.results / "digits/runs/fbftl.json").unlink()
    assert jobs(finished) == FROM_RUNS - Counter(train=3)
