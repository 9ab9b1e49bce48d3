"""A copy of the project in a folder of its own, in which a test runs the workflow for real."""

import contextlib
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import yaml
from fbftl.plan.opened import Prepared
from preloaded import interpreter

TOY = "tests/workflow/toy.yaml"
NOT_SCIENCE = ("logs", ".made", "notes", "durations", "registered", "failed", "digests.json")
"""What below the results tells how a result was made, not what it is."""


@dataclass(frozen=True)
class Left:
    """What a plan finds to be made.

    jobs: how many of each rule.
    markers: of jobs that make something of the store.
    messages: what those jobs say.
    runs: that are missing.
    files: that the target `all` asks for, whether or not they are there.
    """

    jobs: Counter[str]
    markers: set[str]
    messages: list[str]
    runs: int
    files: list[str]

    @classmethod
    def of(cls, folder: Path, files: Sequence[str], more: Mapping[str, Any]) -> "Left":
        """Return what a call in a folder would make, and keep what it read of large files."""
        with contextlib.chdir(folder):
            prepared = Prepared.of_files(folder, files, more)
            plan = prepared.plan(places=1)
            prepared.digests.keep()
        pending = [each for each in plan.results if not each.is_whole]
        made = [*(job.rule for job in plan.jobs), *(f"results_{each.word}" for each in pending)]
        messages = [str(job.note["message"]) for job in plan.jobs]
        markers = {job.marker for job in plan.jobs}
        return cls(Counter(made), markers, messages, plan.missing, plan.targets)


@dataclass(frozen=True)
class Project:
    """A copy of the project's files."""

    folder: Path

    @property
    def results(self) -> Path:
        """The folder of results."""
        return self.folder / "results"

    def copy(self, folder: Path) -> "Project":
        """Copy everything in the folder, results too, to a new one."""
        return Project(Path(shutil.copytree(self.folder, folder, symlinks=True)))

    def command(self, *arguments: str, study: dict[str, Any] | None = None) -> list[str]:
        """Return the command line of a call, the toy study and `study` laid over.

        It takes one core unless it says otherwise: other tests have the others, and there are fewer
        batches to start.
        """
        overlays = [TOY]
        if study is not None:
            overlays.append("overlay.yaml")
            (self.folder / "overlay.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        called = [sys.executable, "-m", "snakemake", "--configfile", *overlays]
        return [*called, "--cores", "1", *arguments]

    def start(self, *arguments: str, study: dict[str, Any] | None = None) -> subprocess.Popen[str]:
        """Start a call in a process group of its own; its output goes to `console.txt`."""
        with open(self.folder / "console.txt", "w") as console:
            return subprocess.Popen(
                self.command(*arguments, study=study),
                cwd=self.folder,
                env=environment(),
                stdout=console,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def console(self) -> str:
        """Return what the call that was started last has printed so far.

        A kill may cut a character of a progress bar in two.
        """
        return (self.folder / "console.txt").read_text(encoding="utf-8", errors="replace")

    def call(
        self, *arguments: str, study: dict[str, Any] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Make a call and wait for its end, whatever that is."""
        return self.python(*self.command(*arguments, study=study)[1:])

    def python(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of Python in the folder and wait for its end; it and its jobs are forks.

        Args:
            arguments: of the interpreter.
            variables: of the environment, beside or in place of this process's.
        """
        return subprocess.run(
            [interpreter(), *arguments],
            cwd=self.folder,
            env=environment() | variables,
            capture_output=True,
            text=True,
        )

    def finish(self, *arguments: str, study: dict[str, Any] | None = None) -> None:
        """Make a call that must succeed."""
        done = self.call(*arguments, study=study)
        assert done.returncode == 0, done.stdout + done.stderr

    def left(self, study: Mapping[str, Any] | None = None, files: Sequence[str] = (TOY,)) -> Left:
        """Return what a call would make, by the plan alone: Snakemake takes seconds to start.

        The plan is this checkout's, in a process of its own, which knows nothing of earlier ones;
        the code whose digests decide is the project's.

        Args:
            study: laid over `files`.
            files: of configuration, laid over the project's own.

        Raises:
            UserError: if the plan refuses the study.
        """
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            return process.submit(Left.of, self.folder, files, study or {}).result()

    def planned(self, *arguments: str, study: dict[str, Any] | None = None) -> Counter[str]:
        """Return how many jobs of each rule a dry run lists."""
        done = self.call("--dry-run", *arguments, study=study)
        assert done.returncode == 0, done.stdout + done.stderr
        printed = done.stdout + done.stderr
        if "Nothing to be done" in printed:
            return Counter()
        table = re.search(r"^-+ +-+\n(.*?)^total ", printed, re.MULTILINE | re.DOTALL)
        assert table is not None, printed
        return Counter({rule: int(n) for rule, n in map(str.split, table[1].splitlines())})

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace text that must be there in one of the project's files."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text
        (self.folder / path).write_text(text.replace(old, new), encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Append text to one of the project's files."""
        with open(self.folder / path, "a", encoding="utf-8") as file:
            file.write(text)

    def science(self) -> dict[str, str]:
        """Return the digest of every result by its path: what two equal runs must share."""
        digests = {}
        for path in sorted(self.results.rglob("*")):
            parts = path.relative_to(self.results).parts
            if parts[0] == "store" and path.name.startswith("."):
                continue  # what a kill has left, which `./run clean` removes
            if path.is_file() and not set(parts) & set(NOT_SCIENCE):
                content = path.read_bytes()
                if parts[:2] == ("store", "runs") and path.suffix == ".json":
                    run = json.loads(content)
                    content = json.dumps(run | {"made": None}).encode()
                digests["/".join(parts)] = hashlib.sha256(content).hexdigest()
        return digests

    def runs(self) -> dict[tuple[str, str], str]:
        """Return the key of each run of the toy task by setting and seed."""
        with open(self.results / "digits" / "runs.csv", encoding="utf-8") as file:
            return {(row["setting"], row["seed"]): row["key"] for row in csv.DictReader(file)}

    def stored(self, kind: str = "runs") -> set[str]:
        """Return the names of what the store has of a kind."""
        folder = self.results / "store" / kind
        return {p.name for p in folder.iterdir()} if folder.is_dir() else set()

    def tables(self) -> dict[str, str]:
        """Return the digests of the tables and figures, without what the store has."""
        return {path: d for path, d in self.science().items() if not path.startswith("store/")}


def environment() -> dict[str, str]:
    """Return this process's environment with the running interpreter first on the path."""
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    }


def tracked(root: Path) -> list[str]:
    """Return the project's own files: those that git knows, or all but hidden ones without git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (root / name).is_file()]
    below = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    made = {".snakemake", ".venv", "__pycache__"}
    return [
        str(path) for path in below if path.parts[0] != "results" and not made & set(path.parts)
    ]


def copied(root: Path, folder: Path) -> Project:
    """Copy the project's own files to a new folder."""
    for name in tracked(root):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, folder / name)
    return Project(folder)
