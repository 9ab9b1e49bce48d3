"""Tabulate what ECOS and other choices buy of a cloud: own rows, accuracy, privacy, bits."""

from typing import Any

from fbftl.findings.outsourcing import CHOICES, epsilons, purchases
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.ground.logs import run_job

SHARE = "{:.1%}"

COLUMNS = [
    Column("name", "Choice"),
    Column("allocation", "Shared out"),
    Column("centroids", "Centroids R", format="{:.0f}"),
    Column("sigma", "Noise σ", format="{:g}"),
    Column("score_power", "Power s", format="{:g}"),
    Column("bits", "Bits of a score", format="{:.0f}"),
    Column("labels", "Labels"),
    Column("purpose", "Purpose"),
    Column("purchase", "Purchase B"),
    Column("bought", "Rows bought", format="{:.0f}"),
    Column("own_share", "Own rows", format=SHARE),
    Column("own_spread", "±", format=SHARE),
    Column("own_least", "in the worst seed", format=SHARE),
    Column("inherent_share", "in the cloud", format=SHARE),
    Column("labelled", "Rows labelled", format="{:.0f}"),
    Column("label_accuracy", "Labels that are right", format=SHARE),
    Column("accuracy", "Accuracy", format=SHARE),
    Column("spread", "±", format=SHARE),
    Column("epsilon_added", "ε, row added", format="{:.4f}"),
    Column("epsilon_replaced", "ε, row replaced", format="{:.4f}"),
    Column("uplink_bits", "Uplink", "bits", prefixed),
    Column("downlink_bits", "Downlink", "bits", prefixed),
    Column("seeds", "Seeds"),
    Column("diverged", "Diverged"),
]


def main(runs: str, guarantees: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        csv: path of the csv.
        axes: those of a purchase, with their defaults.
    """
    table = purchases(read_tidy(runs, axes))
    table = table.merge(epsilons(read_tidy(guarantees, axes)), on="setting", how="left")
    table["name"] = table["choice"].map(lambda choice: CHOICES[choice][0])
    shared = table["choice"] == "ecos"
    for axis in ("allocation", "score_power", "bits"):
        table[axis] = table[axis].where(shared)
    write_table(csv, table, COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.guarantees, job.output.csv, job.params.axes),
    )
