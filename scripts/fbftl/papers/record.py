"""What formulas and audits read of a paper: what it prints, and what its audit computed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.published import read

Numbers = Mapping[str, Decimal]
"""Published numbers by what they are of."""


@dataclass(frozen=True)
class PaperRecord:
    """What is printed of a paper, and what its audit computed.

    published: tables of `published/{paper}/` by name.
    audit: rows of the paper's audit, by id.
    mean_tokens: mean length of real dialogues, a lower bound if counted in words; None where no
        dialogues are at hand.
    """

    published: Mapping[str, pd.DataFrame]
    audit: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    mean_tokens: Fraction | None = None

    @classmethod
    def of(cls, paths: Iterable[str | Path], **further: Any) -> "PaperRecord":
        """Return the record of the files of a paper's folder, with further fields."""
        return cls({Path(path).stem: read(path) for path in paths}, **further)

    def number(self, table: str, /, **key: object) -> Any:
        """Return the one published number (a `Decimal`) under a key of a table.

        As in ``record.number("table3", method="fl", quantity="accuracy")``.

        Raises:
            KeyError: if no row or more than one row has that key.
        """
        match = self.published[table]
        for column, value in key.items():
            match = match[match[column] == value]
        if len(match) != 1:
            raise KeyError(f"{len(match)} published values under {key}, expected one")
        return Decimal(match["printed"].iloc[0])

    def numbers(self, table: str) -> Numbers:
        """Return the numbers of a table that has one for each of its quantities."""
        rows = self.published[table]
        return dict(zip(rows["quantity"], map(Decimal, rows["printed"]), strict=True))
