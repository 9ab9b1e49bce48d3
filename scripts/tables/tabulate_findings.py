"""Tabulate what an analysis found, its seeds joined: setting by setting, each seed in turn."""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.steps import load
from fbftl.findings.tables import write_table


def main(parts: Sequence[str], csv: str, script: str) -> None:
    """Write the table; md, tex and html go beside the csv.

    Args:
        parts: what was found, in files of the same rows, one for each seed where there are several.
        csv: path of the csv.
        script: that found it, which has the table's `COLUMNS`, and `ON_PAGE` if it needs that.
    """
    exactly = {"float_precision": "round_trip", "keep_default_na": False, "na_values": [""]}
    found = [pd.read_csv(part, **exactly) for part in parts]
    rows = pd.concat(found, keys=range(len(found))).swaplevel().sort_index(kind="stable")
    analysis = load(script)
    write_table(csv, rows, analysis.COLUMNS, getattr(analysis, "ON_PAGE", ()))
