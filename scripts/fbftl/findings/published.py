"""Reader of `published/*/*.csv`: what the papers print, digit by digit, and where.

Every file has the columns `printed` (a decimal as it is printed, so that its precision is known),
`unit` and `source`; the columns before them say which value it is.
"""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pandas as pd

from fbftl.ground.errors import UserError


def read(path: str | Path) -> pd.DataFrame:
    """Return one table of published values; `printed` and `unit` stay text.

    Raises:
        UserError: if the file is missing, or no csv.
    """
    try:
        return pd.read_csv(path, dtype={"printed": str, "unit": str}, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the published values in {path}: {error}") from error


def lookup(frame: pd.DataFrame, **key: object) -> Decimal:
    """Return the one published number under a key, e.g. ``method="fl", quantity="accuracy"``.

    Raises:
        KeyError: if no row or more than one row has that key.
    """
    match = frame
    for column, value in key.items():
        match = match[match[column] == value]
    if len(match) != 1:
        raise KeyError(f"{len(match)} published values under {key}, expected one")
    return Decimal(match["printed"].iloc[0])


Numbers = Mapping[str, Decimal]
"""Published numbers by what they are of."""


def by_quantity(frame: pd.DataFrame) -> Numbers:
    """Return the numbers of a table that has one for each of its quantities."""
    return dict(zip(frame["quantity"], map(Decimal, frame["printed"]), strict=True))
