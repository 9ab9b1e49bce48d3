"""Tables of results as csv: read back as they were written, or refused in one sentence."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from fbftl.ground.files import parsing


def read_table(path: str | Path, dtype: Mapping[str, type] | None = None) -> pd.DataFrame:
    """Read a csv of results back; empty cells are missing values.

    Args:
        path: of the csv.
        dtype: types of some columns.

    Raises:
        UserError: if it is no text, has no or a repeated heading, or lines of unequal length.
    """
    with parsing(path, "table"):
        content = Path(path).read_text(encoding="utf-8")
        try:
            head, *lines = csv.reader(io.StringIO(content, newline=""), strict=True)
        except csv.Error as error:
            raise ValueError(str(error)) from error
        if len(set(head)) < len(head) or not all(head):
            raise ValueError("a column has no name, or that of another")
        unequal = next((at for at, line in enumerate(lines, 2) if len(line) != len(head)), None)
        if unequal is not None:
            raise ValueError(f"line {unequal} has other columns than the heading")
        kept = {column: kind for column, kind in (dtype or {}).items() if column in head}
        return pd.read_csv(io.StringIO(content), keep_default_na=False, na_values=[""], dtype=kept)
