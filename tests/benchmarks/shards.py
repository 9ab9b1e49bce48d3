"""Planning a study of many settings shard by shard: time and memory of every plan.

    python tests/benchmarks/shards.py [SETTINGS SHARDS]

Every shard is planned by a dry run in a process of its own, in a copy of the project without
results. Without numbers a study of 100,000 settings is planned in 10 shards, some five minutes of
one core.
"""

import resource
import sys
import tempfile
from collections.abc import Iterator

from growth import study
from project import Project
from ratios import Row, print_table

SETTINGS, SHARDS = 100_000, 10
FRACTIONS = 10
"""Shares of the clients at each rate of packet loss."""


def cpu_seconds() -> float:
    """Return the processor seconds of the processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def rows(settings: int, shards: int) -> Iterator[Row]:
    """Plan every shard; yield the sum of times and the largest memory."""
    many = study(settings // FRACTIONS, FRACTIONS)
    seconds, megabytes = [], []
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        for shard in range(1, shards + 1):
            before = cpu_seconds()
            done = project.snakemake(many, "-n", "-q", "--config", f"shard={shard}/{shards}")
            seconds.append(cpu_seconds() - before)
            megabytes.append(done.peak_mib * 2**20 / 1e6)
            print(f"  {shard}/{shards}: {seconds[-1]:.3g} s, {megabytes[-1]:.0f} MB", flush=True)
    name = f"{settings:,} settings in {shards:,} shards"
    yield Row(f"{name}: processor seconds", sum(seconds))
    yield Row("  the slowest shard over the fastest", max(seconds) / min(seconds))
    yield Row("  MB of the largest plan", max(megabytes), ("<=", 500))


if __name__ == "__main__":
    print_table(rows(*map(int, sys.argv[1:] or (SETTINGS, SHARDS))))
