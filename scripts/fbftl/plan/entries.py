"""Tables and figures as data: what an entry of the lists in `results/` says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

CHAPTERS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the papers?",
    "sweep": "6 What do experiments of your own show?",
    "sources": "7 What does another source network change?",
}
"""The chapters of each paper in the report."""

FORMATS = {
    "tables": ["csv", "md", "tex", "html"],
    "figures": ["svg", "pdf", "png", "csv"],
    "numbers": ["json"],
    "experiments": ["csv", "series.csv"],
}
"""What each kind of result is written as."""

REPORTED = {"tables": "html", "figures": "svg"}
"""Format of each kind that reports and pages show."""


def in_formats(folder: str, path: str) -> dict[str, str]:
    """Return the files of a result below a folder, which ends in `/`, by format."""
    kind = path.split("/", 1)[0]
    return {suffix: f"{folder}{path}.{suffix}" for suffix in FORMATS.get(kind, FORMATS["tables"])}


File = str | list[str] | Callable[..., Any]
"""A path with `{task}` and `{experiment}`, several, or a function that returns some.

Functions are given study, task and experiment; those of a paper's entries are given the call
instead (`fbftl.plan.call`).
"""


@dataclass(frozen=True)
class WrittenOut:
    """A table or figure that a rule of its own makes, often with something else.

    path: of its files below the results of its task or paper, without suffix.
    chapter, title: where the report shows it, and under which words.
    by_seed: as of a `Result`.
    """

    path: str
    chapter: str
    title: str
    by_seed: bool = False

    @property
    def kind(self) -> str:
        """`figures` or `tables`."""
        return "figures" if self.path.startswith("figures/") else "tables"


@dataclass(frozen=True)
class Result:
    """A table or figure and the rule that makes it.

    by: script and its function, `plot_fbftl.noise`: a script's name begins with `tabulate_` or
        `plot_`.
    chapter, title: where the report shows it, and under which words.
    inputs, params: what its script reads, by name; a param is a value or a function, as a `File`.
    stem: of its files, where they are not called after the function.
    optional: function of the call that returns inputs, by name, which may be there.
    also: what its script writes besides, by argument, below the results of its task.
    by_seed: whether it tells by setting and seed what claims read besides the experiment's runs.
    """

    by: str
    chapter: str
    title: str
    inputs: Mapping[str, File] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    stem: str | None = None
    optional: Callable[..., Mapping[str, str]] | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    by_seed: bool = False

    @property
    def kind(self) -> str:
        """The folder of its files and of its script."""
        return "tables" if self.by.startswith("tabulate_") else "figures"

    @property
    def path(self) -> str:
        """Its files below the results of a task or paper, without suffix."""
        return f"{self.kind}/{self.stem or self.function}"

    @property
    def source(self) -> str:
        """Its script below the folder of scripts."""
        return f"{self.kind}/{self.by.partition('.')[0]}.py"

    @property
    def function(self) -> str:
        """What of its script makes it."""
        return self.by.partition(".")[2]


Entry = Result | WrittenOut

PARTS = WrittenOut("tables/claim_parts", "audit", "Parts of claims")

CLAIMS_OF_PAPER: list[Entry] = [WrittenOut("tables/claims", "audit", "Claims"), PARTS]
"""What is made of the claims of every paper."""
