"""Tabulate what a client of FedFeat+ sends in a round at the paper's size, by closed forms."""

import pandas as pd
from fbftl.findings import published
from fbftl.findings.published import lookup
from fbftl.findings.tables import Column, write_table
from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.logs import run_job
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, round_weight

COLUMNS = [
    Column("dataset", "data set"),
    Column("backbone", "backbone"),
    Column("weights", "weights", format="{:,}"),
    Column("width", "numbers of a sample's features", format="{:,}"),
    Column("samples", "samples of a client"),
    Column("features", "features of a client", format="{:,}"),
    Column("share", "features over weights", format="{:.0%}"),
    Column("megabytes", "a client's message", "MB", "{:.1f}"),
]


def main(statements: str, csv: str) -> None:
    """Write the table from the stated samples of a client; the other formats go beside the csv."""
    stated = published.read(statements)
    shards = lookup(stated, quantity="shards_per_client")
    samples = int(shards * lookup(stated, quantity="samples_per_shard"))
    rows = []
    for dataset in DATASETS:
        for backbone in TABLE_I:
            one = round_weight(backbone, dataset, samples)
            rows.append(
                {
                    "dataset": dataset,
                    "backbone": backbone,
                    "weights": one.weights,
                    "width": one.width,
                    "samples": samples,
                    "features": one.features,
                    "share": one.share,
                    "megabytes": (one.weights + one.features) * FLOAT_BITS / 8e6,
                }
            )
    write_table(csv, pd.DataFrame(rows), COLUMNS)


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.statements, job.output.csv))
