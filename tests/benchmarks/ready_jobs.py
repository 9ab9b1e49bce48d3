"""One pass of Snakemake's scheduler over many jobs that could all start, by each way to choose.

    python tests/benchmarks/ready_jobs.py [JOBS ...]

A synthetic workflow of one rule is planned in this process. Whenever jobs would start, the pass is
over: one of those that run is declared finished, so that the next pass finds one free core. Times
are processor seconds from the look at ready jobs to the start of those that were chosen.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from ratios import Row, print_table
from snakemake.cli import main as snakemake
from snakemake.scheduling.job_scheduler import JobScheduler

JOBS = (10_000, 100_000)
CORES = 100
PASSES = 3
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
    "mixed-integer program (default)": ("milp", None),
    "greedy": ("greedy", None),
    f"greedy among {SUBSAMPLE:,}": ("greedy", SUBSAMPLE),
}
"""Scheduler and how many ready jobs it looks at, by what the table calls the way."""


def cpu_seconds() -> float:
    """Return the processor seconds of this process, and of solvers that have ended."""
    times = os.times()
    return sum(times[:4])


class Watch:
    """Stands in the place of the executor: times passes, runs nothing, changes the way in turn."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        self.ways = list(WAYS)
        self.running: list[Any] = []
        self.started = 0.0
        self.is_first = True

    def ready(self, scheduler: JobScheduler) -> list[Any]:
        """Return the jobs that could start, and note that a pass begins."""
        name, scheduler.subsample = WAYS[self.ways[0]]
        greedy = scheduler.job_selector_greedy
        scheduler._job_selector = greedy if name == "greedy" else scheduler._scheduler.select_jobs
        self.started = cpu_seconds()
        return list(scheduler.workflow.dag.ready_jobs)

    def run(self, scheduler: JobScheduler, jobs: list[Any], executor: Any = None) -> None:
        """Note that the pass is over, and have one job finish."""
        took = cpu_seconds() - self.started
        if not self.is_first:  # which also validates every job, once
            self.seconds[self.ways[0]].append(took)
            if len(self.seconds[self.ways[0]]) == PASSES:
                self.ways.pop(0)
        self.is_first = False
        if not self.ways:
            raise SystemExit
        self.running += jobs
        done = self.running.pop()
        for path in done.output:
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).touch()
        scheduler._proceed(done)


def passes(jobs: int) -> dict[str, list[float]]:
    """Return the processor seconds of each pass by the way of choosing."""
    watch = Watch()
    JobScheduler.open_jobs = property(watch.ready)
    JobScheduler.run = lambda scheduler, started, executor=None: watch.run(scheduler, started)
    JobScheduler.get_executor = lambda scheduler, job: Finished()
    arguments = ["--cores", str(CORES), "--quiet", "all", "--nolock", "--scheduler", "ilp"]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("Snakefile").write_text(SNAKEFILE.format(jobs=jobs), encoding="utf-8")
            snakemake(arguments)
        except SystemExit:
            pass
        finally:
            os.chdir(before)
    return watch.seconds


class Finished:
    """An executor that is told of jobs which never ran."""

    def handle_job_success(self, job: Any) -> None:
        """Do nothing."""


def rows(sizes: tuple[int, ...]) -> Iterator[Row]:
    """Measure and yield the rows."""
    for jobs in sizes:
        for way, seconds in passes(jobs).items():
            if seconds:
                reach = ("<=", REACH_S) if way == list(WAYS)[-1] else None
                yield Row(f"{jobs:,} ready jobs, {way}: s of a pass", median(seconds), reach)


if __name__ == "__main__":
    print_table(rows(tuple(map(int, sys.argv[1:])) or JOBS))
