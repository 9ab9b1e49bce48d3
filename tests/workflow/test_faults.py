"""Faults: after any of them a second call ends in the same bytes or in one sentence."""

import os
import random
import time

import pytest
from faults import STAGES, end, kill_in_every_stage, prepare, start, strike
from project import Project

SECONDS = dict.fromkeys(STAGES, 4.0)
"""Roughly what a stage takes; the full measurement is tests/benchmarks/faults.py."""


def test_a_kill_in_every_stage_changes_no_byte(fresh: Project, reference: Project) -> None:
    prepare(fresh)
    kills = list(kill_in_every_stage(fresh, 1, SECONDS))
    assert kills
    status, said = end(fresh)
    assert status == 0, said
    assert fresh.science() == reference.science()


@pytest.fixture
def made(finished: Project) -> Project:
    """A finished study that `./run` goes on with."""
    return prepare(finished)


DAMAGED = [
    "clients.h5",
    "source.safetensors",
    "source.json",
    "features.json",
    "runs/fbftl.json",
    "runs/fbftl.parquet",
    "experiments/scarcity.csv",
    "tables/scarcity.csv",
    "figures/scarcity.png",
]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_flipped_bit_is_one_sentence_and_the_remedy_works(
    made: Project, reference: Project, name: str
) -> None:
    path = made.results / "digits" / name
    content = bytearray(path.read_bytes())
    content[random.Random(name).randrange(len(content))] ^= 1
    path.write_bytes(content)
    done = made.call("--dry-run")
    assert done.returncode != 0
    assert f"changed after the workflow wrote it: results/digits/{name}; remove it" in done.stderr
    assert "Traceback" not in done.stderr
    path.unlink()
    if name in ("runs/fbftl.json", "tables/scarcity.csv"):
        made.finish()
        assert made.science() == reference.science()


def test_a_removed_result_is_made_again(made: Project, reference: Project) -> None:
    for name in ("experiments/scarcity.csv", "tables/scarcity.csv", "figures/scarcity.svg"):
        (made.results / "digits" / name).unlink()
    made.finish()
    assert made.science() == reference.science()


@pytest.mark.parametrize("years", [-30, 30])
def test_another_clock_gives_no_other_result(made: Project, reference: Project, years: int) -> None:
    """Every file's time lies far off, as after a copy or on a machine whose clock was wrong."""
    moment = time.time() + years * 365 * 86400
    for path in (p for p in made.results.rglob("*") if p.is_file()):
        os.utime(path, (moment, moment))
    made.finish()
    assert made.science() == reference.science()


def test_a_second_call_beside_the_first_is_refused(fresh: Project) -> None:
    prepare(fresh)
    first = start(fresh)
    try:
        while not (fresh.folder / ".snakemake/run.lock").exists():
            time.sleep(0.05)
        status, said = end(fresh)
    finally:
        strike(first, "all")
    assert status == 1
    assert said == "another study is being made in this folder; wait for it or stop it\n"
