"""What the benchmarks share: rows of the final table, candidates that take turns."""

import operator
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
_COMPARE = {">=": operator.ge, "<=": operator.le}


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
