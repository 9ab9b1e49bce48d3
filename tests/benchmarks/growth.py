"""Time and memory of extraction and training of n, 2n and 4n samples.

Run: python tests/benchmarks/growth.py

Every step runs in a process of its own, on one thread; memory is the process's peak. Times leave
the start of Python out.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import small_task
from ratios import Row, print_table

SAMPLES = (15_000, 30_000, 60_000)
EPOCHS = 4
LINEAR = ("<=", 1.15)


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


def rows() -> Iterator[Row]:
    """Measure and yield the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        yield from samples(Path(folder))


if __name__ == "__main__":
    print_table(rows())
