"""Names of tasks, of their repeats under further sources (see `source_seeds`), and of run files."""

import re

KEY = "source_seeds"
"""Key of a task, and the folder of its repeats."""

NAME = rf"[^/]+(?:/{KEY}/\d+)?"
"""Pattern of the name of a task or of a repeat."""

RUN = re.compile(rf"results/({NAME})/runs/(.+)\.(?:json|parquet)")
"""The path of a run file or ledger: its task or repeat, and its setting."""


def task_of(name: str) -> str:
    """Return the task of which a name is a repeat; a task's name is its own."""
    return name.partition(f"/{KEY}/")[0]


def is_repeat(name: str) -> bool:
    """Tell whether a name is that of a repeat."""
    return task_of(name) != name
