"""Kills of the toy study at seeded random moments of every stage."""

import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from project import Project

STAGES = {
    "clients": "Split the data of digits over its clients",
    "source": "Prepare the source model of digits",
    "extract_digits": "Extract the features of digits",
    "train": r"Train \S+ on digits",
    "collect": r"Collect the runs of \w+ on digits",
    "tabulate_scarcity": "Tabulate scarcity of digits: .+",
    "plot_scarcity": "Plot scarcity of digits: .+",
}
"""Rules of the toy study with what they say, in the order in which data goes through them."""

VICTIMS = ("job", "snakemake", "all")
"""What is killed: a stage's process, the engine above it, or both at once as a power loss does."""


def under_way(console: str, stage: str) -> bool:
    """Whether a call has started a job of a stage, by what it has printed."""
    return re.search(rf"^Job \d+: {STAGES[stage]}$", console, re.MULTILINE) is not None


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, directly or through others, oldest first."""
    processes = []
    for task in Path(f"/proc/{process}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            processes += [child, *descendants(child)]
    return processes


def script_jobs(process: int) -> list[int]:
    """Return the processes below a call of Snakemake that run a rule's script."""
    jobs = []
    for job in descendants(process):
        try:
            if b"/.snakemake/scripts/" in Path(f"/proc/{job}/cmdline").read_bytes():
                jobs.append(job)
        except OSError:  # it has ended
            continue
    return jobs


def strike(call: subprocess.Popen[str], victim: str) -> None:
    """Kill a part of a call with -9 and wait until the call has ended."""
    jobs = descendants(call.pid)
    if victim == "all":
        os.killpg(call.pid, signal.SIGKILL)
    elif victim == "snakemake":
        call.kill()
    else:
        for job in jobs:
            try:
                os.kill(job, signal.SIGKILL)
            except ProcessLookupError:
                continue
    call.wait()


def timed(project: Project) -> dict[str, float]:
    """Run the study undisturbed; return the seconds that each stage took, waiting included."""
    started: dict[str, float] = {}
    taken: dict[str, float] = {}
    call = project.start()
    while call.poll() is None:
        console = project.console()
        for stage in STAGES:
            if under_way(console, stage):
                started.setdefault(stage, time.monotonic())
            if f"(Rule: {stage})" in console and stage not in taken:
                taken[stage] = time.monotonic() - started[stage]
        time.sleep(0.02)
    assert call.returncode == 0, project.console()
    return taken


def kill_in_every_stage(
    project: Project, seed: int, taken: dict[str, float]
) -> Iterator[tuple[str, str]]:
    """Kill one study once in each of its stages, a new call going on after each kill.

    A stage that ends before its moment comes is made again, and that call gets a moment anew.

    Yields:
        stage and victim of each kill.
    """
    moments = random.Random(seed)
    for stage in STAGES:
        victim = moments.choice(VICTIMS)
        call = project.start("--until", stage)
        while not struck(project, call, stage, victim, moments.uniform(0, taken[stage])):
            call = project.start("--until", stage, "--forcerun", stage)
        yield stage, victim


def struck(
    project: Project, call: subprocess.Popen[str], stage: str, victim: str, moment: float
) -> bool:
    """Kill a call so many seconds into a stage; return False if it had ended by itself."""
    while call.poll() is None and not under_way(project.console(), stage):
        time.sleep(0.02)
    if call.poll() is None:
        time.sleep(moment)
    if call.poll() is None:
        strike(call, victim)
        return True
    if call.returncode != 0:
        raise AssertionError(f"{stage}: {project.console()}")
    return False
