"""Kills of the toy study at seeded random moments of every stage; see benchmarks/faults.py."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from project import Project

STAGES = (
    "clients",
    "source",
    "extract_digits",
    "train",
    "collect",
    "tabulate_scarcity",
    "plot_scarcity",
)
"""Rules of the toy study, in the order in which data goes through them."""

VICTIMS = ("job", "snakemake", "all")
"""What is killed: a stage's process, the engine above it, or both at once as a power loss does."""


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, directly or through others, oldest first."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants(child)]
    return found


def script_jobs(process: int) -> list[int]:
    """Return the processes below a call of Snakemake that run a rule's script."""
    found = []
    for job in descendants(process):
        try:
            if b"/.snakemake/scripts/" in Path(f"/proc/{job}/cmdline").read_bytes():
                found.append(job)
        except OSError:  # it has ended
            continue
    return found


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
    begun: dict[str, float] = {}
    taken: dict[str, float] = {}
    call = project.start()
    while call.poll() is None:
        said = project.console()
        for stage in STAGES:
            if f"rule {stage}:" in said:
                begun.setdefault(stage, time.monotonic())
            if f"(Rule: {stage})" in said and stage not in taken:
                taken[stage] = time.monotonic() - begun[stage]
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
    while call.poll() is None and f"rule {stage}:" not in project.console():
        time.sleep(0.02)
    if call.poll() is None:
        time.sleep(moment)
    if call.poll() is None:
        strike(call, victim)
        return True
    if call.returncode != 0:
        raise AssertionError(f"{stage}: {project.console()}")
    return False
