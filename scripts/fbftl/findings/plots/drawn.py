"""Tables that figures are drawn of, which have rows to draw."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.runs import read_tidy
from fbftl.ground.csv_tables import read_table
from fbftl.ground.errors import UserError


def with_rows(table: pd.DataFrame, path: object) -> pd.DataFrame:
    """Return a table that a figure is drawn of.

    Raises:
        UserError: if it has no row.
    """
    if table.empty:
        raise UserError(
            f"{path} has no row, so that there is nothing to draw; give its experiment settings"
        )
    return table


def table_to_draw(path: str | Path) -> pd.DataFrame:
    """Return a table of results that a figure is drawn of.

    Raises:
        UserError: as `read_table`, or if it has no row.
    """
    return with_rows(read_table(path), path)


def runs_to_draw(path: str | Path, axes: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Return a tidy table that a figure is drawn of.

    Args:
        path: of the table.
        axes: axes that must have a column, with their defaults.

    Raises:
        UserError: as `read_tidy`, or if it has no row.
    """
    return with_rows(read_tidy(path, axes), path)
