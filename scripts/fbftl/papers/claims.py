"""Claims: what a paper's sentences, and hypotheses of ours, say of two quantities by seed.

A claim names its sentence in `published/{paper}/sentences.csv`, or is marked as ours with where it
comes from; what is printed of it is in `published/claims.csv`. A paper's folder has what is
compared, by sentence and part. Nothing here knows a number: margins and sizes are the papers'.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fbftl.findings.comparison import Measured
from fbftl.findings.sentence_rule import Form, Judgement, Stated, interval, judged, stated
from fbftl.papers.quantities import ByPart, BySeed, Compared, Runs
from fbftl.papers.registry import numbers_in

OURS = "ours"
"""What a claim that is nobody's sentence names in its place."""


@dataclass(frozen=True)
class Claim:
    """One comparison of a sentence, or of a hypothesis of ours.

    sentence: its id, or `OURS`.
    part: name of the cell or step.
    compares: what is compared, in words; of ours the hypothesis itself.
    sides: the two quantities.
    form: what is said of the second beside the first.
    margin: printed margin that takes the place of nothing, None if none is printed.
    size: printed difference or ratio, None if none is printed.
    unit: of the difference.
    ratio: whether it is about how many times the second is the first; judged by logarithms.
    origin: where a hypothesis of ours comes from; empty for a sentence.
    """

    sentence: str
    part: str
    compares: str
    sides: Compared
    form: Form
    margin: float | None
    size: float | None
    unit: str
    ratio: bool
    origin: str


def read_claims(path: str | Path) -> pd.DataFrame:
    """Return `published/claims.csv`, an empty cell as an empty text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def claims_of(paper: str, compared: Mapping[str, ByPart], texts: pd.DataFrame) -> list[Claim]:
    """Return a paper's claims of the sentences that are compared, in the order of their texts.

    Args:
        paper: its word.
        compared: what is compared, by sentence and part; hypotheses of ours under `OURS`.
        texts: as `read_claims` returns them.
    """
    of_paper = texts[(texts["paper"] == paper) & texts["sentence"].isin(list(compared))]
    return [
        Claim(
            text.sentence,
            text.part,
            text.compares,
            compared[text.sentence][text.part],
            Form(text.form),
            number(text.margin),
            number(text.size),
            text.unit,
            text.ratio == "yes",
            text.origin,
        )
        for text in of_paper.itertuples()
    ]


def number(cell: str) -> float | None:
    """Return a cell's number, None if it is empty."""
    return float(cell) if cell else None


def printed_numbers(margin: str) -> set[float]:
    """Return what a registry's margin prints: its numbers, and the differences between them."""
    numbers = numbers_in(margin)
    return {*numbers, *(round(abs(a - b), 6) for a in numbers for b in numbers)}


def faults(claims: Iterable[Mapping[str, str]], margins: Mapping[str, str]) -> list[str]:
    """Return what is wrong with rows of `published/claims.csv`, a sentence each.

    Args:
        claims: rows of one paper.
        margins: what its registry prints, by the sentences' ids.
    """
    found = []
    for row in claims:
        name = f"{row['paper']}, {row['sentence']}, {row['part']}"
        if row["sentence"] == OURS:
            if not row["origin"]:
                found.append(f"{name}: say in `origin` where a hypothesis of ours comes from")
        elif row["sentence"] not in margins:
            found.append(f"{name}: name a sentence of sentences.csv, or mark the claim as {OURS}")
        else:
            printed = printed_numbers(margins[row["sentence"]])
            found += [
                f"{name}: its sentence prints no {column} of {row[column]}"
                for column in ("margin", "size")
                if row[column] and abs(float(row[column])) not in printed
            ]
    return found


@dataclass(frozen=True)
class Examined:
    """A claim with what was measured of it on one task.

    first, second: both quantities.
    """

    claim: Claim
    first: BySeed
    second: BySeed

    @property
    def compared(self) -> Measured | None:
        """The difference over the seeds that both have, or the logarithm of the ratio."""
        first, second = self.first.values, self.second.values
        paired = np.log(second) - np.log(first) if self.claim.ratio else second - first
        values = list(paired.dropna())
        return Measured.of(values) if values else None

    @property
    def stated(self) -> Stated:
        """What is stated of the difference, where nothing is printed by the size of the first."""
        claim = self.claim
        beside = None if claim.ratio else float(self.first.values.mean())
        return stated(claim.form, claim.margin, claim.size, claim.unit, beside)

    def bounds(self, tested: int) -> tuple[float, float, float] | None:
        """Return mean and interval as they are printed, a ratio as a number of times.

        Args:
            tested: how many sentences of the system are tested.
        """
        difference = self.compared
        if difference is None:
            return None
        values = (difference.mean, *interval(difference, tested))
        lower_to_upper = np.exp(values) if self.claim.ratio else values
        mean, lower, upper = map(float, lower_to_upper)
        return mean, lower, upper

    def judged(self, tested: int) -> Judgement | None:
        """Return what it comes to, None if it was not run.

        Args:
            tested: how many sentences of the system are tested.
        """
        difference = self.compared
        return None if difference is None else judged(difference, self.stated, tested)


def examine(claims: Sequence[Claim], runs: Runs) -> list[Examined]:
    """Return every claim with what was measured of it."""
    return [Examined(claim, *claim.sides(runs)) for claim in claims]


def examined_by_task(
    claims: Sequence[Claim], by_task: Mapping[str, Runs]
) -> dict[str, list[Examined]]:
    """Return every claim with what was measured of it on each task.

    Args:
        claims: of one paper.
        by_task: what was run, by task.
    """
    return {task: examine(claims, runs) for task, runs in by_task.items()}
