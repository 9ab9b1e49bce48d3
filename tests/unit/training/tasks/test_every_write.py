"""Each write of a script fails in turn: one sentence that names a file, and only whole files left.

Python tells of every file that it opens, folder that it makes and name that it changes by an audit
hook. What other languages write is met by a bound on the size of files, which the system keeps.
"""

import errno
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import collect_runs
import describe_network
import partition_clients
import pytest
from fbftl.ground.errors import UserError
from unit.training.tasks.toy_task import CLIENTS, DATA, FEATURES, HEAD, train

SENTENCE = r"^\S+ could not be written \([^)]+\); [^;]+ and run again$"

FOR_WRITING = os.O_WRONLY | os.O_RDWR


class Faults:
    """Counts what a block does to files, and lets it fail from the `first` on, counted from 0."""

    def __init__(self) -> None:
        self._active, self.seen = False, 0
        sys.addaudithook(self._hear)

    @contextmanager
    def armed(
        self, folder: Path, first: int | None = None, number: int = errno.ENOSPC
    ) -> Iterator[None]:
        self._folder, self._first, self._number = str(folder), first, number
        self.seen, self._active = 0, True
        try:
            yield
        finally:
            self._active = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._active:
            return
        writes = (
            event == "os.rename"
            or (event == "open" and bool(arguments[2] & FOR_WRITING))
            or (event == "os.mkdir" and not os.path.isdir(arguments[0]))
        )
        if not writes or isinstance(arguments[0], int):
            return
        path = os.path.abspath(arguments[0])
        if path.startswith(self._folder):
            self.seen += 1
            if self._first is not None and self.seen > self._first:
                raise OSError(self._number, os.strerror(self._number), path)


FAULTS = Faults()


@contextmanager
def short_files(size: int) -> Iterator[None]:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.fixture(scope="module")
def run(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(files, tmp_path_factory.mktemp("run"), "fbftl")[0]


def partition(files: dict[str, str], run: Path, out: Path) -> None:
    partition_clients.main(
        "fbftl.data.images", str(out / "clients.h5"), DATA, CLIENTS, None, seed=0
    )


def describe(files: dict[str, str], run: Path, out: Path) -> None:
    network = str(out / "network.json")
    describe_network.main(files["clients"], files["source"], network, FEATURES, HEAD)


def training(files: dict[str, str], run: Path, out: Path) -> None:
    train(files, out, "fbftl", epochs=1)


def collect(files: dict[str, str], run: Path, out: Path) -> None:
    collect_runs.main([str(run)], str(out / "table.csv"), str(out / "table.series.csv"), {})


@pytest.mark.parametrize("script", [partition, describe, training, collect])
def test_every_write_of_a_script_may_fail(files, run, tmp_path, script):
    """Undisturbed it is counted, then it fails at each write, and at the last byte of each file."""
    with FAULTS.armed(tmp_path):
        script(files, run, tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    assert len(whole) <= FAULTS.seen
    errors = errno.ENOSPC, errno.EIO
    faults = [
        lambda out, n=first: FAULTS.armed(out, n, errors[n % 2]) for first in range(FAULTS.seen)
    ]
    sizes = {0, *(len(content) - 1 for content in whole.values())}
    faults += [lambda out, n=size: short_files(n) for size in sorted(sizes)]
    for number, fault in enumerate(faults):
        out = tmp_path / str(number)
        with pytest.raises(UserError, match=SENTENCE), fault(out):
            script(files, run, out)
        left = contents(out)
        assert left.keys() < whole.keys()
        for name, content in left.items():
            assert name.endswith("meta.json") or content == whole[name]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
