"""Damage between two calls: the second ends in the same bytes or in one sentence."""

import os
import random
import time

import pytest
from project import Project

DAMAGED = [
    "clients.h5",
    "clients.h5.sha256",
    "source.safetensors",
    "source.json",
    "features.json",
    "features.zarr/zarr.json",
    "runs/fbftl.json",
    "runs/fbftl.parquet",
    "experiments/scarcity.csv",
    "tables/scarcity.csv",
    "figures/scarcity.png",
]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_flipped_bit_is_one_sentence_and_the_remedy_works(
    finished: Project, reference: Project, name: str
) -> None:
    path = finished.results / "digits" / name
    content = bytearray(path.read_bytes())
    content[random.Random(name).randrange(len(content))] ^= 1
    path.write_bytes(content)
    done = finished.call("--dry-run")
    assert done.returncode != 0
    assert f"changed after the workflow wrote it: results/digits/{name}; remove it" in done.stderr
    assert "Traceback" not in done.stderr
    path.unlink()
    if name in ("runs/fbftl.json", "tables/scarcity.csv"):
        finished.finish()
        assert finished.science() == reference.science()


REMOVED = [
    "clients.h5",
    "source.json",
    "features.json",
    "runs/fbftl.parquet",
    "experiments/scarcity.csv",
    "tables/scarcity.md",
    "figures/scarcity.svg",
]


def test_removed_results_are_made_again(finished: Project, reference: Project) -> None:
    for name in REMOVED:
        (finished.results / "digits" / name).unlink()
    finished.finish()
    assert finished.science() == reference.science()


@pytest.mark.parametrize("years", [-30, 30])
def test_another_clock_gives_no_other_result(
    finished: Project, reference: Project, years: int
) -> None:
    """Every file's time lies far off, as after a copy or on a machine whose clock was wrong."""
    moment = time.time() + years * 365 * 86400
    for path in (p for p in finished.results.rglob("*") if p.is_file()):
        os.utime(path, (moment, moment))
    finished.finish()
    assert finished.science() == reference.science()
