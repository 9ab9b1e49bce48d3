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


def of_runs(runs: pd.DataFrame) -> Iterator[Number]:
    """Yield accuracy and spread in percent of every setting in one task's tidy table."""
    task = runs["task"].iloc[0]
    for setting, axes in settings_in(runs).items():
        accuracy = 100 * per_seed(runs, axes)
        name = f"{task}/{setting}"
        yield Number(f"{name}/accuracy", accuracy.mean(), "{:.1f}")
        if len(accuracy) > 1:
            yield Number(f"{name}/spread", accuracy.std(), "{:.1f}")


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
