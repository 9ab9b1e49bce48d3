"""Time and memory of n, 2n and 4n samples, and of many settings.

Run: python tests/benchmarks/growth.py

Every step runs in a process of its own, on one thread; memory is the process's peak. Times of
extraction and training leave the start of Python out, those of planning and collecting do not.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import small_task
from project import Project
from ratios import SCRIPTS, Process, Row, measured, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.study.grid import from_axes

SAMPLES = (15_000, 30_000, 60_000)
EPOCHS = 4
SETTINGS = (10, 100, 1000)
PLANNED = 10_000
SHARDS = 100
EXPANDED = 100_000
LINEAR = ("<=", 1.15)

EXPAND = f"""
from fbftl.study.grid import expand
losses = [i / {EXPANDED // 10} for i in range({EXPANDED // 10})]
assert len(expand([{{"plr": losses, "fraction": [i / 10 for i in range(1, 11)]}}])) == {EXPANDED}
"""
COLLECT = """
import sys, collect_runs
_, table, *runs = sys.argv
collect_runs.main(runs, table, table + ".series", {"plr": 0.0})
"""


def samples(folder: Path) -> Iterator[Row]:
    """Extract and train for growing numbers of samples."""
    took: dict[str, list[tuple[float, float]]] = {"extraction": [], "training": []}
    for count in SAMPLES:
        task = folder / str(count)
        small_task.step("make", task, count)
        for name, verb in (("extraction", ["extract"]), ("training", ["train"])):
            numbers = [EPOCHS] if name == "training" else []
            done = small_task.step(*verb, task, *numbers)
            took[name].append((small_task.seconds(done), done.peak_mib))
            print(f"  {name:10} {count:7} samples {took[name][-1][0]:7.2f} s "
                  f"{done.peak_mib:7.0f} MiB", flush=True)  # fmt: skip
    for name, ((s1, _), (s2, m2), (s4, m4)) in took.items():
        yield Row(f"growth: {name}, time of 4n over twice 2n", s4 / s2 / 2, LINEAR)
        yield Row(f"  of {name} 2n over twice n", s2 / s1 / 2, LINEAR)
        yield Row(f"  memory of {name}, 4n over 2n", m4 / m2, ("<=", 2))


def study(settings: int, fractions: int = 1) -> dict:
    """Return a study of the default task with one experiment of so many settings.

    Args:
        settings: packet loss rates.
        fractions: shares of the clients at each.
    """
    losses = [round(i / settings, 6) for i in range(settings)]
    shares = [round((i + 1) / fractions, 6) for i in range(fractions)]
    return {
        "study": {"tasks": ["digits"], "experiments": ["sweep"]},
        "experiments": {"sweep": {"grids": [{"plr": losses, "fraction": shares}]}},
    }


def settings(folder: Path) -> Iterator[Row]:
    """Plan studies and collect runs for growing numbers of settings."""
    project = Project(folder / "project")
    plans = {n: project.snakemake(study(n), "-n", "-q") for n in (*SETTINGS, PLANNED)}
    small_task.step("make", folder / "run", 500)
    small_task.step("extract", folder / "run")
    small_task.step("train", folder / "run", 1)
    run = json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))
    tables = {n: collected(folder / f"runs{n}", run, n) for n in SETTINGS}
    for name, processes in (("planning", plans), ("collecting", tables)):
        for count, done in processes.items():
            print(f"  {name:10} {count:7} settings {done.seconds:6.2f} s {done.peak_mib:7.0f} MiB")
    least, _, most = SETTINGS
    for name, processes in (("planning", plans), ("collecting", tables)):
        growth = processes[most].peak_mib / processes[least].peak_mib
        yield Row(f"growth: memory of {name}, {most} settings over {least}", growth, ("<=", 1.15))
    shard = ["--config", f"shard={SHARDS // 2}/{SHARDS}"]
    million = study(PLANNED // 10, SHARDS * 10)
    dry_runs = {
        f"{PLANNED} settings": plans[PLANNED],
        f"a shard of {PLANNED * SHARDS}": project.snakemake(million, "-n", "-q", *shard),
    }
    for what, planned in dry_runs.items():
        yield Row(f"  seconds of a dry run of {what}", planned.seconds, ("<=", 20))
        yield Row(f"  MB of a dry run of {what}", planned.peak_mib * 2**20 / 1e6, ("<=", 500))
    expanded = measured(["-c", EXPAND])
    gigabytes = expanded.peak_mib * 2**20 / 1e9
    yield Row(f"  GB for a table of {EXPANDED} settings", gigabytes, ("<=", 1))


def collected(folder: Path, run: dict, count: int) -> Process:
    """Collect a run file under so many names into one table."""
    folder.mkdir()
    files = []
    for loss in study(count)["experiments"]["sweep"]["grids"][0]["plr"]:
        setting = from_axes({"plr": loss})
        document = run | {"name": setting.name, "setting": setting.deviations()}
        files.append(str(folder / f"{setting.name}.json"))
        Path(files[-1]).write_text(json.dumps(document), encoding="utf-8")
    return measured(["-c", COLLECT, str(folder / "table.csv"), *files])


def rows() -> Iterator[Row]:
    """Measure and yield the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        yield from samples(Path(folder))
        yield from settings(Path(folder))


if __name__ == "__main__":
    print_table(rows())
