"""Tabulate what a client of FedFeat+ sends in a round at the paper's size, by closed forms."""

import pandas as pd
from fbftl.findings import published
from fbftl.findings.published import lookup
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, round_weight

COLUMNS = [
    Column("dataset", "Data set"),
    Column("backbone", "Backbone"),
    Column("weights", "Weights", format="{:,}"),
    Column("width", "Numbers of a sample's features", format="{:,}"),
    Column("samples", "Samples of a client"),
    Column("features", "Features of a client", format="{:,}"),
    Column("share", "Features over weights", format="{:.0%}"),
    Column("megabytes", "A client's message", "MB", "{:.1f}"),
]


def main(statements: str) -> ResultTable:
    """Return the table from the stated samples of a client."""
    stated = published.read(statements)
    shards = lookup(stated, quantity="shards_per_client")
    samples = int(shards * lookup(stated, quantity="samples_per_shard"))
    rows = []
    for dataset in DATASETS:
        for backbone in TABLE_I:
            weight = round_weight(backbone, dataset, samples)
            rows.append(
                {
                    "dataset": dataset,
                    "backbone": backbone,
                    "weights": weight.weights,
                    "width": weight.width,
                    "samples": samples,
                    "features": weight.features,
                    "share": weight.share,
                    "megabytes": (weight.weights + weight.features) * FLOAT_BITS / 8e6,
                }
            )
    return ResultTable(pd.DataFrame(rows), COLUMNS)
