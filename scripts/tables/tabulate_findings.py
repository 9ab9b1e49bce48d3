"""Tabulate what an analysis found, its seeds joined: setting by setting, each seed in turn.

Readers see the mean over seeds of each setting.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from fbftl.findings.shown import METHOD_NAME, SETTING_NAME
from fbftl.findings.steps import load
from fbftl.findings.table_page import SPREAD
from fbftl.findings.tables import BY_SEED, SEEDS, Column, ResultTable
from fbftl.findings.wording import listed_words

AXES = Column("axes", "Setting", format=listed_words)

NAMES = {column.name: column for column in (METHOD_NAME, SETTING_NAME, AXES)}
"""Columns that are written in words, which a script that analyses does not import."""


def main(parts: Sequence[str], script: str) -> ResultTable:
    """Return the table.

    Args:
        parts: what was found, in files of the same rows, one for each seed where there are several.
        script: that found it, which has the table's `COLUMNS`.
    """
    exactly = {"float_precision": "round_trip", "keep_default_na": False, "na_values": [""]}
    found = [pd.read_csv(part, **exactly) for part in parts]
    rows = pd.concat(found, keys=range(len(found))).swaplevel().sort_index(kind="stable")
    columns = [NAMES.get(column.name, column) for column in load(script).COLUMNS]
    if BY_SEED[1] not in columns:
        return ResultTable(rows, columns)
    setting, _, *measures = columns
    spreads = [replace(of, name=f"{of.name}_spread", heading=SPREAD) for of in measures]
    shown = [of for both in zip(measures, spreads, strict=True) for of in both]
    of_setting, names = rows.groupby("setting", sort=False), [of.name for of in measures]
    spread = of_setting[names].std().add_suffix("_spread")
    means = of_setting[names].mean().join(spread).assign(seeds=of_setting.size()).reset_index()
    return ResultTable(rows, [setting, *shown, SEEDS], means)
