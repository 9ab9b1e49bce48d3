"""Kill the toy study at seeded random moments in every stage, and print how each study ended.

A chain kills one study once in each stage, the next call going on where it was; then a last call
finishes it and every result is compared with those of an undisturbed study. As many chains run at
once as there are cores.

    python tests/benchmarks/faults.py [chains, 25 by default] [table to write, Markdown]
"""

import collections
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "workflow"))

from faults import STAGES, VICTIMS, kill_in_every_stage, timed  # noqa: E402
from project import Project, copied  # noqa: E402

Kills = collections.Counter[tuple[str, str]]
"""Kills by stage and victim."""


def main(chains: int, table: str | None) -> None:
    """Run the chains; print a line per chain, then the table of stages."""
    tried: Kills = collections.Counter()
    survived: Kills = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        sources = copied(ROOT, Path(folder, "sources")).folder
        undisturbed = copied(sources, Path(folder, "undisturbed"))
        taken = timed(undisturbed)
        wanted = undisturbed.science()
        running = [
            pool.submit(chain, copied(sources, Path(folder, f"chain{seed}")), seed, taken, wanted)
            for seed in range(chains)
        ]
        for done in as_completed(running):
            kills, wrong = done.result()
            tried.update(kills)
            survived.update([] if wrong else kills)
            print(f"{len(kills)} kills {'changed' if wrong else 'survived'} {wrong}", flush=True)
            if table is not None:
                Path(table).write_text(report(tried, survived), encoding="utf-8")
    print(report(tried, survived))


def chain(
    project: Project, seed: int, taken: dict[str, float], wanted: dict[str, str]
) -> tuple[list[tuple[str, str]], str]:
    """Kill a study in every stage and finish it; return the kills and what is wrong after them."""
    kills = list(kill_in_every_stage(project, seed, taken))
    last = project.call()
    science = project.science()
    shutil.rmtree(project.folder)
    if last.returncode != 0:
        return kills, last.stdout[-2000:] + last.stderr[-2000:]
    changed = sorted(p for p in wanted | science if wanted.get(p) != science.get(p))
    return kills, ", ".join(changed)


def report(tried: Kills, survived: Kills) -> str:
    """Return a Markdown table: kills tried by stage and victim, and how many changed nothing."""
    lines = [f"| stage | {' | '.join(VICTIMS)} | tried | survived | lost |", "|---" * 7 + "|"]
    for stage in STAGES:
        counts = [tried[stage, victim] for victim in VICTIMS]
        good = sum(survived[stage, victim] for victim in VICTIMS)
        cells = [*counts, sum(counts), good, sum(counts) - good]
        lines.append(f"| {stage} | {' | '.join(map(str, cells))} |")
    total, good = sum(tried.values()), sum(survived.values())
    lines.append(f"| all | | | | {total} | {good} | {total - good} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 25,
        sys.argv[2] if len(sys.argv) > 2 else None,
    )
