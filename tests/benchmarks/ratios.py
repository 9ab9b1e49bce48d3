"""What the benchmarks share: rows of the final table, and the measuring of other processes."""

import operator
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
_COMPARE = {">=": operator.ge, "<=": operator.le}

_LAUNCHER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print("peak KiB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    reach: the number to reach: `>=` or `<=` and a bound; None if the row is for information.
    """

    name: str
    value: float
    reach: tuple[str, float] | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """`yes` or `no`: is the number reached; empty without one."""
        if self.reach is None:
            return ""
        relation, bound = self.reach
        return "yes" if _COMPARE[relation](self.value, bound) else "no"


def print_table(rows: Iterable[Row]) -> None:
    """Print rows beside the numbers to reach."""
    rows = list(rows)
    width = max(len(row.name) for row in rows)
    print(f"\n{'':{width}}  {'measured':>10}  {'to reach':>10}  reached")
    for row in rows:
        bound = "" if row.reach is None else f"{row.reach[0]} {row.reach[1]:g}"
        line = f"{row.name:{width}}  {row.value:10.4g}  {bound:>10}  {row.verdict:7}  {row.note}"
        print(line.rstrip())


def data_folder() -> Path:
    """Return the folder with real data: FBFTL_DATA, or the one beside the project."""
    return Path(os.environ.get("FBFTL_DATA", ROOT.parent / "shared" / "data")).resolve()


def fastest(candidates: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the fastest seconds of each candidate over interleaved rounds."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


@dataclass(frozen=True)
class Process:
    """What a process printed, and what it took.

    peak_mib: largest resident memory of the process or of one of its children.
    """

    output: str
    seconds: float
    peak_mib: float


def measured(command: Sequence[str], folder: str | Path = ROOT) -> Process:
    """Run a Python command, `python` left out, from start to end in a folder.

    A small process stands between, because a peak of memory outlives the start of a new program.

    Raises:
        RuntimeError: if the command fails, with what it printed.
    """
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}")
    output, _, peak = done.stdout.rpartition("peak KiB")
    return Process(output, seconds, int(peak) / 1024)
