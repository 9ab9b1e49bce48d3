"""Every table and figure: lists by experiment and by paper, in the order that pages show them."""

from collections.abc import Iterable

from fbftl.plan.entries import CLAIMS_OF_PAPER, Entry, Result, WrittenOut
from fbftl.plan.results import eppfl, fbftl, fedfeat, rivals, survey, thesis

LISTS = {
    "fbftl": fbftl,
    "rivals": rivals,
    "thesis": thesis,
    "survey": survey,
    "eppfl": eppfl,
    "fedfeat": fedfeat,
}
"""Module of each paper that has results."""

OF_EXPERIMENT: dict[str, list[Entry]] = {
    experiment: entries
    for module in LISTS.values()
    for experiment, entries in module.OF_EXPERIMENT.items()
}
"""What is made of each experiment on a task."""

OF_PAPER: dict[str, list[Entry]] = {paper: module.OF_PAPER for paper, module in LISTS.items()}
"""What is made of each paper's claims and of its own numbers."""

OF_NO_LIST: list[Entry] = [
    WrittenOut("tables/heads", "cost", "Heads and epochs by the rule"),
    WrittenOut("tables/framework_choice", "cost", "Lengths and sizes by the rule"),
    WrittenOut("audit", "audit", "Audit"),
]
"""What is made when it is asked for, and what is made of all papers."""

WRITTEN_OUT = {
    entry.path: entry
    for entries in [*OF_EXPERIMENT.values(), CLAIMS_OF_PAPER, OF_NO_LIST]
    for entry in entries
    if isinstance(entry, WrittenOut)
}
"""Results with a rule of their own, by path."""


def paths_of(entries: Iterable[Entry]) -> list[str]:
    """Return the paths of entries below the results of their task or paper, without suffix."""
    return [entry.path for entry in entries]


def made_in_a_loop(entries: Iterable[Entry]) -> list[Result]:
    """Return the entries whose rules follow from what they say."""
    return [entry for entry in entries if isinstance(entry, Result)]


_BY_PATH = {r.path: r for entries in OF_EXPERIMENT.values() for r in made_in_a_loop(entries)}

OF_TASKS = list(_BY_PATH.values())
"""Such results of tasks, each once: two experiments may end in the same."""
