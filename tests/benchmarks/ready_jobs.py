"""One pass of Snakemake's scheduler over many jobs that could all start, by each way to choose.

    python tests/benchmarks/ready_jobs.py [JOBS ...]

A synthetic workflow of one rule and 1,000 jobs is planned in this process, and its ready jobs are
copied until there are as many as asked for: planning so many would take minutes and changes nothing
of a pass. Whenever jobs would start, the pass is over, and one of those that run gives its core
back for the next. Times are processor seconds from the look at ready jobs to the start of jobs.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from statistics import median
from typing import Any

from ratios import Row, print_table
from snakemake.cli import main as snakemake
from snakemake.scheduling.job_scheduler import JobScheduler

JOBS = (10_000, 100_000)
PLANNED = 1_000
CORES = 100
SUBSAMPLE = 1000
REACH_S = 2.0

SNAKEFILE = """
rule all:
    input:
        [f"made/{{number}}" for number in range({jobs})],


rule make:
    output:
        "made/{{number}}",
    shell:
        "touch {{output}}"
"""

WAYS = {
    f"greedy among {SUBSAMPLE:,}": ("greedy", SUBSAMPLE, 3),
    "greedy": ("greedy", None, 3),
    "mixed-integer program (default)": ("milp", None, 1),
}
"""Scheduler, how many ready jobs it looks at, and passes, by what the table calls the way."""


def cpu_seconds() -> float:
    """Return the processor seconds of this process, and of solvers that have ended."""
    times = os.times()
    return sum(times[:4])


class Watch:
    """Stands in the place of the executor: times passes, runs nothing, changes the way in turn."""

    def __init__(self, jobs: int) -> None:
        self.seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        self.ways = list(WAYS)
        self.started = 0.0
        self.is_first = True
        self.jobs = jobs

    def ready(self, scheduler: JobScheduler) -> list[Any]:
        """Return the jobs that could start, and note that a pass begins."""
        name, scheduler.subsample, _ = WAYS[self.ways[0]]
        greedy = scheduler.job_selector_greedy
        scheduler._job_selector = greedy if name == "greedy" else scheduler._scheduler.select_jobs
        dag = scheduler.workflow.dag
        if self.is_first:
            planned = list(dag.ready_jobs)
            copies = {copy(planned[n % PLANNED]) for n in range(self.jobs - PLANNED)}
            dag._ready_jobs |= copies
            dag._needrun |= copies
        self.started = cpu_seconds()
        return list(dag.ready_jobs)

    def run(self, scheduler: JobScheduler, jobs: list[Any], executor: Any = None) -> None:
        """Note that the pass is over, and give one core back."""
        took = cpu_seconds() - self.started
        if not self.is_first:  # which also validates every job, once
            self.seconds[self.ways[0]].append(took)
            print(f"  {self.jobs:,} ready jobs, {self.ways[0]}: {took:.3g} s", flush=True)
            if len(self.seconds[self.ways[0]]) == WAYS[self.ways[0]][2]:
                self.ways.pop(0)
        self.is_first = False
        if not self.ways:
            raise SystemExit
        scheduler.running.remove(jobs[0])
        scheduler._free_resources(jobs[0])
        scheduler._open_jobs.release()


def passes(jobs: int) -> dict[str, list[float]]:
    """Return the processor seconds of each pass by the way of choosing."""
    watch = Watch(jobs)
    JobScheduler.open_jobs = property(watch.ready)
    JobScheduler.run = lambda scheduler, started, executor=None: watch.run(scheduler, started)
    arguments = ["--cores", str(CORES), "--quiet", "all", "--nolock", "--scheduler", "ilp"]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("Snakefile").write_text(SNAKEFILE.format(jobs=PLANNED), encoding="utf-8")
            snakemake(arguments)
        except SystemExit:
            pass
        finally:
            os.chdir(before)
    return watch.seconds


def rows(sizes: tuple[int, ...]) -> Iterator[Row]:
    """Measure and yield the rows."""
    for jobs in sizes:
        for way, seconds in passes(jobs).items():
            if seconds:
                reach = ("<=", REACH_S) if way == next(iter(WAYS)) else None
                yield Row(f"{jobs:,} ready jobs, {way}: s of a pass", median(seconds), reach)


if __name__ == "__main__":
    print_table(rows(tuple(map(int, sys.argv[1:])) or JOBS))
