"""Tabulate what clients send by part for which accuracy: FedAvg, FedFeat+, CCVR and FbFTL.

Nobody prints that features add to the model what they do, so the parts of every message are summed
from the ledger.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings.columns import METHOD, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import labelled
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.messages.ledger import read_ledger

PARTS = ("weights", "features", "labels", "statistics")

COLUMNS = [
    METHOD,
    Column("features_from", "Features of", page=True),
    *accuracy(),
    Column("messages", "Messages up", format="{:,.0f}", page=True),
    *(Column(part, f"{part.capitalize()} up", "bit", prefixed) for part in PARTS),
    Column("added", "Added to the weights", format="{:.0%}", page=True),
    Column("up", "All up, as sent", "bit", prefixed, page=True),
    Column("down", "Down", "bit", prefixed, page=True),
    *SEED_COUNTS,
]


def main(
    runs: str, ledgers: Sequence[str], axes: dict[str, Any],
    methods: list[dict[str, Any]],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        ledgers: of its runs.
        axes: those of a row, with their defaults.
        methods: those of the experiment.
    """
    scores = mean_and_spread(read_tidy(runs, axes), ["setting", "method", "features_from"])
    sent = pd.DataFrame(exchanged(ledgers))
    table = scores.merge(sent, on="setting")
    table["features_from"] = table["features_from"].where(table["method"] == "fedfeat", "")
    return ResultTable(labelled(table, methods, ["method"]), COLUMNS)


def exchanged(ledgers: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what each run's clients sent and got, means over seeds."""
    for path in ledgers:
        rows = read_ledger(
            path, ["seed", "direction", "part", "payload_bits", "bits", "lost"]
        ).to_pandas()
        seeds = rows["seed"].nunique()
        up = rows[rows["direction"] == "up"]
        by_part = up.groupby("part", observed=True)["payload_bits"].sum() / seeds
        parts = {part: float(by_part.get(part, 0)) for part in PARTS}
        more = sum(parts.values()) - parts["weights"]
        yield {
            "setting": Path(path).stem,
            "messages": up["lost"].notna().sum() / seeds,
            **parts,
            "added": more / parts["weights"] if parts["weights"] else float("nan"),
            "up": up["bits"].sum() / seeds,
            "down": rows.loc[rows["direction"] == "down", "bits"].sum() / seeds,
        }
