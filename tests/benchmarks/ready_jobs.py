"""A pass of Snakemake's scheduler over many jobs that could all start, by each way to choose them.

    python tests/benchmarks/ready_jobs.py [JOBS ...]

A synthetic workflow of one rule and up to 1,000 jobs is planned, and its ready jobs are copied
until there are as many as asked for: to plan so many would take minutes and changes nothing of a
pass. The first pass fills all cores; each later one starts one job, in the place of one that has
ended. Times are processor seconds, those of solvers included, from the look at ready jobs to the
start of jobs. Every way has a process of its own, whose peak of memory is said.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import count
from pathlib import Path
from statistics import median

from ratios import Row, measured, print_table
from snakemake.cli import main as snakemake
from snakemake.dag import DAG
from snakemake.jobs import Job
from snakemake.scheduling.job_scheduler import JobScheduler

JOBS = (10_000, 100_000)
PLANNED = 1_000
CORES = 100
PASSES = 3
REACH_S = 2.0

SNAKEFILE = """
rule all:
    input:
        [f"made/{{number}}" for number in range({jobs})],


rule make:
    input:
        "features",
    output:
        "made/{{number}}",
    shell:
        "touch {{output}}"
"""

RECOMMENDED = "--scheduler greedy --scheduler-subsample 1000"
"""What the profiles say."""

WAYS = (
    RECOMMENDED,
    "--scheduler ilp --scheduler-subsample 1000",
    "--scheduler greedy",
    "--scheduler ilp",
)
"""Options that decide how jobs are chosen; the last are Snakemake's default."""


def cpu_seconds() -> float:
    """Return the processor seconds of this process, and of solvers that have ended."""
    solvers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + solvers.ru_utime + solvers.ru_stime


def multiply(dag: DAG, jobs: int) -> None:
    """Copy the ready jobs of a plan until there are so many."""
    planned = list(dag.ready_jobs)
    copies = [copy(planned[n % len(planned)]) for n in range(jobs - len(planned))]
    dag._ready_jobs.update(copies)
    dag._needrun.update(copies)
    dag._jobid.update(zip(copies, count(2 * PLANNED)))
    dag._priority.update(dict.fromkeys(copies, 0))


class Watch:
    """Takes the place of what runs jobs: times passes, runs nothing, frees one core after each.

    seconds: of each pass so far.
    """

    def __init__(self, jobs: int) -> None:
        self.seconds: list[float] = []
        self._jobs = jobs
        self._started = 0.0

    def ready(self, scheduler: JobScheduler) -> list[Job]:
        """Return the jobs that could start, and note that a pass begins."""
        dag = scheduler.workflow.dag
        if not self.seconds:
            multiply(dag, self._jobs)
        self._started = cpu_seconds()
        return list(dag.ready_jobs)

    def run(self, scheduler: JobScheduler, jobs: list[Job]) -> None:
        """Note that the pass is over, and let one of the jobs that were chosen end."""
        self.seconds.append(cpu_seconds() - self._started)
        if len(self.seconds) == 1 + PASSES:
            raise SystemExit
        scheduler.running.remove(jobs[0])
        scheduler._free_resources(jobs[0])
        scheduler._open_jobs.release()


def print_passes(jobs: int, options: Sequence[str]) -> None:
    """Plan, look for jobs to start, and print the processor seconds of every pass."""
    watch = Watch(jobs)
    JobScheduler.open_jobs = property(watch.ready)
    JobScheduler.run = lambda scheduler, chosen, executor=None: watch.run(scheduler, chosen)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("Snakefile").write_text(SNAKEFILE.format(jobs=min(jobs, PLANNED)), encoding="utf-8")
        Path("features").touch()
        try:
            snakemake(["--cores", str(CORES), "--quiet", "all", "--nolock", *options])
        except SystemExit:
            print(*watch.seconds)


def rows(sizes: Sequence[int]) -> Iterator[Row]:
    """Measure and yield the rows."""
    for jobs in sizes:
        for way in WAYS:
            done = measured([__file__, str(jobs), *way.split()])
            *_, printed = done.output.splitlines()
            first, *later = map(float, printed.split())
            name = f"{jobs:,} ready jobs, {way}"
            print(f"  {name}: {first:.3g} s, then {median(later):.3g} s", flush=True)
            reach = ("<=", REACH_S) if way == RECOMMENDED else None
            yield Row(f"{name}: s of the first pass", first, reach)
            yield Row("  of a later one", median(later), reach)
            yield Row("  MiB of the process", done.peak_mib)


if __name__ == "__main__":
    words = sys.argv[1:]
    if any(word.startswith("--") for word in words):
        print_passes(int(words[0]), words[1:])
    else:
        print_table(rows([int(word) for word in words] or JOBS))
