"""What a job costs before it does anything: imports of every script, and a whole short job.

Run: python tests/benchmarks/startup.py

Each script is imported in a fresh process, which is timed from start to end, Python included.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import small_task
from ratios import SCRIPTS, Row, measured, print_table

HEAVY = ("torch", "torch._dynamo", "transformers", "pandas", "matplotlib", "zarr", "scipy")
ANALYTIC = ("collect", "plot", "tabulate", "write")
"""First words of the scripts that only read results."""
REPEATS = 3


def imports(script: Path) -> tuple[float, set[str]]:
    """Return the seconds of a process that imports a script, and what of HEAVY it has."""
    code = (
        f"import sys; sys.path.insert(0, {str(script.parent)!r}); import {script.stem}; "
        f"print(*(m for m in {HEAVY} if m in sys.modules))"
    )
    done = measured(["-c", code])
    return done.seconds, set(done.output.split())


def rows() -> Iterator[Row]:
    """Measure and yield the rows."""
    took = {
        path.stem: imports(path)
        for path in sorted(SCRIPTS.glob("*/*.py"))
        if path.parent.name != "fbftl"
    }
    for script, (seconds, modules) in took.items():
        print(f"  {script:28}{seconds:6.2f} s  {' '.join(m for m in HEAVY if m in modules)}")
    analytic = [script for script in took if script.partition("_")[0] in ANALYTIC]
    with_torch = [script for script in analytic if "torch" in took[script][1]]
    yield Row(
        f"startup: of {len(analytic)} analytic scripts, those with torch", len(with_torch),
        ("<=", 0), " ".join(with_torch),
    )  # fmt: skip
    training = took["train_batch"]
    yield Row("  train_batch imports transformers", "transformers" in training[1], ("<=", 0))
    yield short_job()


def short_job() -> Row:
    """Return the seconds, from process start to end, of a job that trains for one second."""
    with tempfile.TemporaryDirectory() as folder:
        task = Path(folder)
        small_task.step("make", task, 4000)
        small_task.step("extract", task)
        started = [small_task.step("train", task, 1) for _ in range(REPEATS)]
        longer = [small_task.step("train", task, 11) for _ in range(REPEATS)]
    one_epoch, eleven_epochs = (
        min(p.seconds for p in processes) for processes in (started, longer)
    )
    epoch = (eleven_epochs - one_epoch) / 10
    note = f"{one_epoch:.2f} s with one epoch of {epoch:.3f} s"
    return Row("  seconds of a job that trains for one", one_epoch - epoch + 1, ("<=", 2.5), note)


if __name__ == "__main__":
    print_table(rows())
