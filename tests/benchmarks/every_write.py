"""Run every script of a small study with each of its writes failing in turn; print what went wrong.

    python tests/benchmarks/every_write.py

All jobs of `every_script.yaml` run in one process in a copy of the project, as the plan orders
them; it takes a quarter of an hour. The first job of each script is run again and again in the
state that it found: once for each file or folder that it makes, renames or synchronises, on a disk
that is full from there on or fails there once; and once for each size at which the system takes no
further byte of a file, whatever language writes it. A run must end in the one sentence of
`fbftl.ground.files.writing` and leave only whole files. `tests/unit/tasks/test_every_write.py`
does so for a few scripts.
"""

import errno
import os
import re
import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "scripts"
sys.path.insert(0, str(HERE.parent / "workflow"))

from project import copied  # noqa: E402

IN_COPY = "--in-copy"
"""Says that this is the copy."""

SENTENCE = re.compile(r"\S+ could not be written \([^)]+\); [^;]+ and run again( \(details: .*\))?")

NOT_WHOLE = re.compile(r"(^|/)\.[^/]*\.work/|/logs/")
"""What may stay behind: finished chunks of an extraction, and the log that tells of the failure."""

TARGETS = {"all", "layers", "heads", "verify_features", "repair_features"}
"""What is asked for: every result, and what a user may ask for beside them."""

VARIES = (".meta.json",)
"""Endings of files that tell when they were made, and so differ from run to run."""


@dataclass
class Faults:
    """Counts what a process does to files below a folder, and lets it fail from some point on.

    Python tells of every file that it opens, folder that it makes and name that it changes by an
    audit hook; `os.fsync` is replaced by a function that tells of itself.

    folder: where.
    """

    folder: str
    first: int | None = None
    number: int = 0
    lasting: bool = True
    seen: int = field(default=0, init=False)
    active: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        sys.addaudithook(self._hear)
        synchronise = os.fsync

        def fsync(descriptor: int) -> None:
            self._count(os.readlink(f"/proc/self/fd/{descriptor}"))
            synchronise(descriptor)

        os.fsync = fsync

    @contextmanager
    def armed(self, first: int | None, number: int = errno.ENOSPC, lasting: bool = True):
        """Let the write `first` fail inside the block, counted from 0, and all later if lasting."""
        self.first, self.number, self.lasting = first, number, lasting
        self.seen, self.active = 0, True
        try:
            yield
        finally:
            self.active = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "open" and isinstance(arguments[0], str) and arguments[2] & WRITES:
            self._count(arguments[0])
        elif event == "os.rename" or (event == "os.mkdir" and not os.path.isdir(arguments[0])):
            self._count(os.fspath(arguments[0]))

    def _count(self, path: str) -> None:
        if not self.active or not os.path.abspath(path).startswith(self.folder):
            return
        number, self.seen = self.seen, self.seen + 1
        if self.first is not None and (
            number >= self.first if self.lasting else number == self.first
        ):
            raise OSError(self.number, os.strerror(self.number), path)


WRITES = os.O_WRONLY | os.O_RDWR

MANY = 40
"""Writes of one job, beyond which both kinds of fault at each take too long."""


@contextmanager
def short_files(size: int) -> Iterator[None]:
    """Let no file grow beyond a size inside the block."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@dataclass(frozen=True)
class Planned:
    """A job of the study: its script, and what the script is handed."""

    script: Path
    job: Any

    def run(self) -> str:
        """Run the script; return the sentence that it ended in, empty if it went well."""
        from fbftl.ground.logs import log

        printed = StringIO()
        with redirect_stdout(StringIO()), redirect_stderr(printed):
            try:
                runpy.run_path(str(self.script), {"snakemake": self.job}, "__main__")
                return ""
            except SystemExit as ended:
                noise = printed.getvalue()
                return str(ended.code) + (noise if "Traceback" in noise else "")
            finally:
                for handler in list(log.handlers):
                    log.removeHandler(handler)
                    handler.close()


def planned(study: Path) -> Iterator[Planned]:
    """Yield the jobs of a study in an order in which they can run."""
    from snakemake.api import SnakemakeApi
    from snakemake.script import Snakemake
    from snakemake.settings.types import ConfigSettings, DAGSettings, ResourceSettings

    with SnakemakeApi() as api:
        called = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=[study]),
            snakefile=Path("Snakefile"),
        )
        called.dag(DAGSettings(targets=TARGETS, forceall=True))
        flow = called._workflow
        flow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        flow._build_dag()
        for level in flow.dag.toposorted():
            for job in sorted(level, key=str):
                if job.rule.script is None:
                    continue
                handed = Snakemake(
                    job.input._plainstrings(),
                    job.output._plainstrings(),
                    job.params,
                    job.wildcards,
                    1,
                    job.resources,
                    job.log._plainstrings(),
                    flow.globals["config"],
                    job.rule.name,
                    None,
                    str(SCRIPTS),
                )
                yield Planned(SCRIPTS / job.rule.script.rpartition("scripts/")[2], handed)


def files(folder: Path) -> set[Path]:
    """Return the files below a folder."""
    return {path for path in folder.rglob("*") if path.is_file()}


@dataclass
class Trial:
    """What is done to one script.

    job: its first job.
    results: the folder of results, in the state that the job found.
    faults: what lets writes fail.
    """

    job: Planned
    results: Path
    faults: Faults
    wrong: list[str] = field(default_factory=list)

    def undergo(self) -> int:
        """Run the job undisturbed, then with each fault; leave its outputs. Return the faults."""
        before = files(self.results)
        with self.faults.armed(None):
            ended = self.job.run()
        writes = self.faults.seen
        if ended:
            self.wrong.append(f"undisturbed it ended in: {ended}")
            return 0
        kept = self.results.with_name("kept")
        outputs = files(self.results) - before
        move(outputs, self.results, kept)
        remove_new(self.results, before)
        whole = {path: (kept / path.relative_to(self.results)).read_bytes() for path in outputs}
        tried = 0
        for description, fault in self.each(writes, {len(content) for content in whole.values()}):
            with fault():
                ended = self.job.run()
            self.check(description, ended, files(self.results) - before, whole)
            remove_new(self.results, before)
            tried += 1
        move(files(kept), kept, self.results)
        return tried

    def each(self, writes: int, sizes: set[int]) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield every fault with its name."""
        for first in range(writes):
            # Of a store's hundreds of files each fails in one way, of all others in both.
            if writes <= MANY or first % 2 == 0:
                yield f"full from {first}", lambda n=first: self.faults.armed(n)
            if writes <= MANY or first % 2 == 1:
                yield f"error at {first}", lambda n=first: self.faults.armed(n, errno.EIO, False)
        for size in sorted({0, *(size - 1 for size in sizes if size)}):
            yield f"no file over {size} bytes", lambda n=size: short_files(n)

    def check(
        self, description: str, ended: str, left: Iterable[Path], whole: dict[Path, bytes]
    ) -> None:
        """Note what is wrong after a fault."""
        if not SENTENCE.fullmatch(ended):
            self.wrong.append(f"{description}: {ended[-600:] or 'it went on'}")
        for path in left:
            name = f"/{path.relative_to(self.results)}"
            if NOT_WHOLE.search(name) or name.endswith(VARIES):
                continue
            if path not in whole or path.read_bytes() != whole[path]:
                self.wrong.append(f"{description}: {name} is left behind and not whole")


def remove_new(folder: Path, before: set[Path]) -> None:
    """Remove what has been made below a folder since it held some files, its folders too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in before:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def move(paths: Iterable[Path], source: Path, target: Path) -> None:
    """Move files from below one folder to the same places below another."""
    for path in list(paths):
        there = target / path.relative_to(source)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, there)


def main() -> None:
    """Run the study in this copy of the project; print what each script was put through."""
    sys.path.insert(0, str(SCRIPTS))
    jobs = list(planned(HERE / "every_script.yaml"))
    results = Path("results").resolve()
    faults = Faults(str(results))
    wrong: dict[str, list[str]] = {}
    for job in jobs:
        name = job.script.name
        if name in wrong:
            if ended := job.run():
                wrong[name].append(f"a later job ended in: {ended}")
            continue
        trial, started = Trial(job, results, faults), time.monotonic()
        tried, wrong[name] = trial.undergo(), trial.wrong
        print(
            f"{name}: {tried} faults in {time.monotonic() - started:.0f} s", *trial.wrong, sep="\n"
        )
    if any(wrong.values()):
        sys.exit("a fault was not survived, see above")


def in_a_copy() -> int:
    """Run this script in a copy of the project; return its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(HERE.parents[1], Path(folder, "project")).folder
        command = [sys.executable, "-u", "tests/benchmarks/every_write.py", IN_COPY]
        return subprocess.run(command, cwd=copy).returncode


if __name__ == "__main__":
    if IN_COPY in sys.argv:
        main()
    else:
        sys.exit(in_a_copy())
