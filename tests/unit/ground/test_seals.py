"""Seals: what a finished job wrote, compared later."""

import logging
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fbftl.ground.digests import ALWAYS_READ, Digests
from fbftl.ground.errors import UserError
from fbftl.ground.logs import log, run_job
from fbftl.ground.seals import broken, require_unbroken


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a job that wrote a small and a large file."""
    monkeypatch.chdir(tmp_path)
    outputs = ["results/a table, of=things.csv", "results/large.bin", "results/store"]
    nothing: dict[str, str] = {}
    job = SimpleNamespace(
        log=["results/logs/a.log"],
        output=outputs,
        input=[],
        rule="a",
        wildcards=nothing,
        params=nothing,
        config=nothing,
    )

    def main(job: SimpleNamespace) -> None:
        Path(job.output[0]).write_text("1\n")
        Path(job.output[1]).write_bytes(bytes(ALWAYS_READ + 1))
        Path(job.output[2]).mkdir()

    before = list(log.handlers)
    run_job(job, main)
    for handler in set(log.handlers) - set(before):
        log.removeHandler(handler)
    log.setLevel(logging.NOTSET)
    return tmp_path


def test_what_a_job_wrote_is_unbroken(folder: Path) -> None:
    assert (folder / "results/logs/a.log").read_text().count(" sealed ") == 2
    require_unbroken("results")


def test_no_results_are_unbroken(tmp_path: Path) -> None:
    assert broken(tmp_path / "results") == []


def test_changed_files_are_named(folder: Path) -> None:
    table, large = folder / "results/a table, of=things.csv", folder / "results/large.bin"
    table.write_text("2\n")
    old = table.stat().st_mtime - 1000
    os.utime(table, (old, old))
    content = bytearray(large.read_bytes())
    content[7] = 1
    large.write_bytes(content)
    os.utime(large, (old + 9000, old + 9000))
    with pytest.raises(UserError, match=r"a table, of=things.csv, results/large.bin; remove"):
        require_unbroken("results")


def test_touched_and_removed_files_are_unbroken(folder: Path) -> None:
    (folder / "results/a table, of=things.csv").unlink()
    os.utime(folder / "results/large.bin", (2**33, 2**33))
    assert broken("results", Digests("kept.json")) == []


def test_a_large_file_changed_under_an_older_date_is_named(folder: Path) -> None:
    digests = Digests("kept.json")
    require_unbroken("results", digests)
    large = folder / "results/large.bin"
    large.write_bytes(b"1" + large.read_bytes()[1:])
    os.utime(large, (0, 0))
    assert broken("results", digests) == ["results/large.bin"]


@pytest.mark.parametrize("closed", [".", ".snakemake", "results", "results/store"])
def test_folders_that_cannot_be_written_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    """Who runs as root may write anywhere, so that the system's answer is made up."""
    if closed == ".snakemake":
        Path(closed).mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != Path(closed))
    with pytest.raises(UserError, match=f"{Path(closed).resolve()} cannot be written by you"):
        require_unbroken("results")
    monkeypatch.setattr(sys, "argv", ["snakemake", "--dry-run"])
    if closed.startswith("results"):
        require_unbroken("results")
