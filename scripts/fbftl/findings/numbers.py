"""Single numbers for prose: named once here, read by LaTeX and by programs, never typed."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from fbftl.findings.runs import per_seed, settings_in
from fbftl.findings.uplink import SELECTED

MACRO = r"""\providecommand{\fbftl}[1]{\ifcsname fbftl@#1\endcsname\csname fbftl@#1\endcsname\else
  \errmessage{no number named #1}\fi}
"""
"""A LaTeX command that prints a number by its name; a name that does not exist is an error."""


@dataclass(frozen=True)
class Number:
    """A number with its name.

    name: `<task>/<setting>/<quantity>`.
    value: exact.
    format: how prose prints it.
    """

    name: str
    value: float
    format: str

    @property
    def text(self) -> str:
        """The number as prose prints it."""
        return self.format.format(self.value)


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
        yield Number(f"{name}/{mean}", score.mean(), "{:.1f}")
        if len(score) > 1:
            yield Number(f"{name}/{spread}", score.std(), "{:.1f}")
        for measure, called in SENT.items():
            if measure in runs and (bits := per_seed(runs, axes, measure).dropna()).size:
                yield Number(f"{name}/{called}", bits.mean(), "{:,.0f}")


def of_uplink(task: str, uplink: pd.DataFrame) -> Iterator[Number]:
    """Yield each method's uplink in bits and how many times FbFTL's it is, with the spreads.

    Args:
        task: name of the task.
        uplink: what each method sends by seed (`findings.uplink`).
    """
    for (method, until), rows in uplink.groupby(["method", "until"], sort=False):
        name = f"{task}/{method}/uplink" + ("" if until == SELECTED else f" to {until}")
        yield Number(name, rows["payload_bits"].mean(), "{:,.0f}")
        times = rows["times_fbftl"].dropna()
        if method != "fbftl" and len(times):
            yield Number(f"{name} over fbftl", times.mean(), "{:,.0f}")
            if len(times) > 1:
                yield Number(f"{name} over fbftl/spread", times.std(), "{:,.0f}")


def latex(numbers: list[Number]) -> str:
    r"""Return definitions after which `\fbftl{name}` prints a number."""
    lines = [rf"\expandafter\def\csname fbftl@{n.name}\endcsname{{{n.text}}}" for n in numbers]
    return MACRO + "\n".join(lines) + "\n"
