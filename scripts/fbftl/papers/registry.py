"""The registry of a paper's sentences: `published/{paper}/sentences.csv`."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e\d+)?")

TESTED, BY_FORMULA = "tested", "by formula"
TO_BE_RUN, NOT_TESTABLE = "to be run", "not testable here"


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper that compares, counts or bounds.

    id: begins with the paper or chapter.
    system: whose study runs it; its sentences share one level.
    place: section, figure or table.
    says: the sentence in words of ours.
    kind: order, size, number, equality, threshold, trend or absence.
    sides: what is compared.
    measure: of what.
    margin: what is printed of it, as text.
    direction: in which the difference goes.
    status: `TESTED`, `BY_FORMULA`, `TO_BE_RUN` or `NOT_TESTABLE`.
    reason: which quantity decides it, which study runs it, what a study has to add, or why not.
    """

    id: str
    system: str
    place: str
    says: str
    kind: str
    sides: str
    measure: str
    margin: str
    direction: str
    status: str
    reason: str


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text without their signs, in their order; 100,000 is one."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def read_sentences(path: str | Path) -> list[Sentence]:
    """Return a registry in its order."""
    with open(path, encoding="utf-8", newline="") as file:
        return [Sentence(**row) for row in csv.DictReader(file)]


def number_tested(sentences: Iterable[Sentence]) -> dict[str, int]:
    """Return m, how many sentences of each system are tested by runs, whichever are run by now.

    Those that a study has still to run count, so that no verdict changes because another sentence
    is run; those that a formula decides and those that nothing here can test are no tests.
    """
    return dict(Counter(of.system for of in sentences if of.status in (TESTED, TO_BE_RUN)))
