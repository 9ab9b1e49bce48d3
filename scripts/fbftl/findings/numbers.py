"""Single numbers of a task by name, `<task>/<setting>/<quantity>`, for pages and for claims."""

from collections.abc import Iterator

import pandas as pd

from fbftl.findings.exchanged import SELECTED
from fbftl.findings.runs import per_seed, settings_in

Number = tuple[str, float]
"""Its name and its value."""

SCORES = {"test_accuracy": ("accuracy", "spread", 100), "rouge1": ("rouge1", "rouge1 spread", 1)}
"""What mean and spread of a task's score are called, and what makes them percent; the first that
its runs have is its score."""

SENT = {"uplink_payload_bits": "uplink as counted", "uplink_bits": "uplink as sent"}
"""Measures of what a run sends up: as the paper counts, and the messages as long as they were."""


def of_runs(runs: pd.DataFrame) -> Iterator[Number]:
    """Yield score and spread in percent, and the uplink, of every setting in one tidy table."""
    task = runs["task"].iloc[0]
    scored = next(measure for measure in SCORES if measure in runs)
    mean, spread, percent = SCORES[scored]
    for setting, axes in settings_in(runs).items():
        name = f"{task}/{setting}"
        score = percent * per_seed(runs, axes, scored)
        yield f"{name}/{mean}", score.mean()
        if len(score) > 1:
            yield f"{name}/{spread}", score.std()
        for measure, called in SENT.items():
            if measure in runs and (bits := per_seed(runs, axes, measure).dropna()).size:
                yield f"{name}/{called}", bits.mean()


def of_uplink(task: str, uplink: pd.DataFrame) -> Iterator[Number]:
    """Yield each method's uplink in bits and how many times FbFTL's it is, with the spreads.

    Args:
        task: name of the task.
        uplink: what each method sends by seed (`findings.uplink`).
    """
    for (method, until), rows in uplink.groupby(["method", "until"], sort=False):
        name = f"{task}/{method}/uplink" + ("" if until == SELECTED else f" to {until}")
        yield name, rows["payload_bits"].mean()
        times = rows["times_fbftl"].dropna()
        if method != "fbftl" and len(times):
            yield f"{name} over fbftl", times.mean()
            if len(times) > 1:
                yield f"{name} over fbftl/spread", times.std()
