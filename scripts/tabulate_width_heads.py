"""Tabulate heads of several widths on cached features: what they can do and what they send."""

from typing import Any

from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import shown
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.ground.logs import run_job

SHARE = "{:.1%}"

COLUMNS = [
    Column("label", "Method"),
    Column("budget_order", "Budgets", format=lambda order: order.replace("_", " ")),
    Column("accuracy", "Accuracy", format=SHARE),
    Column("spread", "±", format=SHARE),
    Column("narrowest", "at the narrowest", format=SHARE),
    Column("uplink", "Uplink", "bits", prefixed),
    Column("downlink", "Downlink", "bits", prefixed),
    Column("seeds", "Seeds"),
    Column("diverged", "Diverged"),
]
"""Bits are of all rounds up to the selected one; the extractor, sent once, is left out."""


def main(runs: str, csv: str, methods: list[dict[str, Any]], axes: dict[str, Any]) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        runs: tidy table of the experiment.
        csv: path of the csv.
        methods: the methods of the runs, in the order of the rows.
        axes: the axes in which a run deviates, with their defaults.
    """
    table, keys = read_tidy(runs, axes), ["method", "budget_order"]
    found = mean_and_spread(table, keys)
    narrowest = min(column for column in table if column.startswith("accuracy_x"))
    measures = {"narrowest": narrowest, "uplink": "uplink_bits", "downlink": "downlink_bits"}
    for name, column in measures.items():
        means = table.groupby(keys)[column].mean().rename(name)
        found = found.merge(means, how="left", on=keys)
    looks = shown(methods)
    found = found.assign(label=found["method"].map({n: look.label for n, look in looks.items()}))
    order = list(looks)
    found = found.sort_values(
        keys, key=lambda own: own.map(order.index) if own.name == "method" else own
    )
    # Whoever has no budgets has no order of them.
    found["budget_order"] = found["budget_order"].where(found["narrowest"].notna(), "")
    write_table(csv, found, COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.output.csv, job.params.methods, job.params.axes),
    )
