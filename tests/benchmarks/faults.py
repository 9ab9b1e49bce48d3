"""Kill the toy study at seeded random moments in every stage, and print how each study ended.

A chain kills one study once in each stage, the next call going on where it was; then a last call
finishes it and every result is compared with those of an undisturbed study.

    python tests/benchmarks/faults.py [chains, 25 by default] [table to write, Markdown]
"""

import collections
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "workflow"))

from faults import STAGES, VICTIMS, kill_in_every_stage, timed  # noqa: E402
from project import copied  # noqa: E402


def main(chains: int, table: str | None) -> None:
    """Run the chains; print a line per chain and the table of stages after each."""
    with tempfile.TemporaryDirectory() as folder:
        sources = copied(ROOT, Path(folder, "sources")).folder
        undisturbed = copied(sources, Path(folder, "undisturbed"))
        taken = timed(undisturbed)
        wanted = undisturbed.science()
        tried: collections.Counter[tuple[str, str]] = collections.Counter()
        survived: collections.Counter[tuple[str, str]] = collections.Counter()
        for seed in range(chains):
            began = time.monotonic()
            project = copied(sources, Path(folder, f"chain{seed}"))
            kills = [(s, v) for s, v, _ in kill_in_every_stage(project, seed, taken)]
            last = project.call()
            found = project.science()
            equal = last.returncode == 0 and found == wanted
            tried.update(kills)
            survived.update(kills if equal else [])
            took = time.monotonic() - began
            print(f"chain {seed}: {len(kills)} kills, equal: {equal}, {took:.0f} s", flush=True)
            if not equal:
                changed = {p for p in wanted | found if wanted.get(p) != found.get(p)}
                print(last.stdout[-2000:], last.stderr[-2000:], sorted(changed)[:20])
            text = report(tried, survived, seed + 1)
            if table is not None:
                Path(table).write_text(text, encoding="utf-8")
            shutil.rmtree(project.folder)
        print(text)


def report(tried: collections.Counter, survived: collections.Counter, chains: int) -> str:
    """Return a Markdown table: kills tried by stage and victim, and how many changed nothing."""
    lines = [f"| stage | {' | '.join(VICTIMS)} | tried | survived | lost |", "|---" * 7 + "|"]
    for stage in STAGES:
        counts = [tried[stage, victim] for victim in VICTIMS]
        good = sum(survived[stage, victim] for victim in VICTIMS)
        cells = [*counts, sum(counts), good, sum(counts) - good]
        lines.append(f"| {stage} | {' | '.join(map(str, cells))} |")
    total, good = sum(tried.values()), sum(survived.values())
    lines.append(f"| all | | | | {total} | {good} | {total - good} |")
    return "\n".join([*lines, "", f"{chains} studies, each killed once in every stage.", ""])


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 25,
        sys.argv[2] if len(sys.argv) > 2 else None,
    )
