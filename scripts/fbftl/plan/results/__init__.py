"""Every table and figure: lists by experiment and by paper, in the order that pages show them."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fbftl.plan.analyses import OF_SEVERAL, Analysis
from fbftl.plan.entries import CLAIMS_OF_PAPER, Entry, WrittenOut


def _lists() -> dict[str, Any]:
    """Return the module of each paper that has one, that of the default study first."""
    names = sorted((module.name for module in iter_modules(__path__)), key=lambda n: n != "fbftl")
    found = {name: import_module(f"{__name__}.{name}") for name in names}
    return {name: module for name, module in found.items() if hasattr(module, "OF_EXPERIMENT")}


LISTS = _lists()
"""Module of each paper with tables and figures of its own."""

OF_EXPERIMENT: dict[str, list[Entry]] = {
    experiment: entries
    for module in LISTS.values()
    for experiment, entries in module.OF_EXPERIMENT.items()
}
"""What is made of each experiment on a task."""

ANALYSES: list[Analysis] = [
    *OF_SEVERAL,
    *(each for module in LISTS.values() for each in getattr(module, "ANALYSES", ())),
]
"""All analyses; a study makes what its tables read."""

FOUND_BY = {path: each for each in ANALYSES for path in each.outputs.values()}
"""The analysis that finds each file below a task's results."""

MEASURED: dict[str, str] = {
    experiment: entry.path.removeprefix("tables/")
    for experiment, entries in OF_EXPERIMENT.items()
    for entry in entries
    if (analysis := FOUND_BY.get(f"{entry.path}.csv")) and analysis.seeds == "each"
}
"""Table by setting and seed of what claims read in addition to the runs of an experiment."""


def of_numbers(paper: str) -> list[Entry]:
    """Return what is made of a paper's printed numbers and formulas alone, whatever runs say."""
    return getattr(LISTS.get(paper), "OF_NUMBERS", [])


def of_paper(paper: str) -> list[Entry]:
    """Return what is made of a paper's claims and of its numbers, with runs or without."""
    return [*CLAIMS_OF_PAPER, *getattr(LISTS.get(paper), "OF_PAPER", ()), *of_numbers(paper)]


AUDIT = WrittenOut("audit", "audit", "Audit")
"""What is made of all papers."""
