"""Tabulate what an analysis found, its seeds joined: setting by setting, each seed in turn."""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.shown import METHOD_NAME, SETTING_NAME
from fbftl.findings.steps import load
from fbftl.findings.tables import Column, ResultTable
from fbftl.findings.wording import listed_words

AXES = Column("axes", "Setting", format=listed_words)

NAMES = {column.name: column for column in (METHOD_NAME, SETTING_NAME, AXES)}
"""Columns that are written in words, which a script that analyses does not import."""


def main(parts: Sequence[str], script: str) -> ResultTable:
    """Return the table, which readers see seed by seed, each with all settings.

    Args:
        parts: what was found, in files of the same rows, one for each seed where there are several.
        script: that found it, which has the table's `COLUMNS`.
    """
    exactly = {"float_precision": "round_trip", "keep_default_na": False, "na_values": [""]}
    found = [pd.read_csv(part, **exactly) for part in parts]
    by_seed = pd.concat(found, keys=range(len(found)))
    rows = by_seed.swaplevel().sort_index(kind="stable")
    columns = [NAMES.get(column.name, column) for column in load(script).COLUMNS]
    return ResultTable(rows, columns, by_seed)
