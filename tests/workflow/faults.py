"""What a call of the toy study is doing, and which processes do it."""

import re
from pathlib import Path

STAGES = {
    "clients": "Split the data of digits over its clients",
    "source": "Prepare the source model of digits",
    "extract": "Extract the features of digits",
    "train": r"Train [\d,]+ runs on digits",
    "results_digits": "Write the tables and figures of digits",
}
"""Rules of the toy study with what they say, in the order in which data goes through them."""


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
