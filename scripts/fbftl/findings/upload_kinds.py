"""Uploads side by side by what a client sends, how many bits it takes, and what they give.

Whatever the task varies, uploads compare among clients that are dealt alike: of one size K and one
skew of labels.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.published import on_front
from fbftl.findings.runs import mean_and_spread
from fbftl.findings.uploads import COLOURS, HEADS, UPLOADING, WORDS
from fbftl.ground.floats import FLOAT_BITS
from fbftl.study.uploads import declared

RAW, ROUNDS = "raw features", "rounds"

KINDS = {
    RAW: COLOURS["features"],
    "quantised features": "#E69F00",
    "class means": COLOURS["means"],
    "means and variances": COLOURS["moments"],
    "mixtures": COLOURS["mixtures"],
    "statistics": COLOURS["statistics"],
    "projected statistics": COLOURS["projected"],
    ROUNDS: "#666666",
}
"""Kinds of uploads with their colours; a message of one's own is a kind by its name."""


def written(kind: str) -> str:
    """Return how pages and figures write a kind or a name that csv files call as before."""
    return kind.replace("statistics", "second moments")


DEALT = ["samples_per_client", "skew"]
"""Columns in which clients are dealt alike."""

NEAR = 0.01
"""Accuracy below that of raw features with their best head that still counts as theirs."""


def kind_of(row: Mapping[str, Any]) -> str:
    """Return the kind of what a row's clients send."""
    if row["method"] not in UPLOADING:
        return ROUNDS
    if row["method"] == "fbftl" or row["message"] in ("features", "batch"):
        return RAW if row["bits"] == FLOAT_BITS and row["keep"] == 1 else "quantised features"
    return WORDS.get(row["message"], row["message"]).replace("second moments", "statistics")


def name_of(row: Mapping[str, Any]) -> str:
    """Return what a row sends and with which head it is read, as a table has it."""
    if row["kind"] == ROUNDS:
        return str(row["method"])
    parts = [row["kind"], HEADS.get(row["head"], row["head"])]
    parts += [f"q = {row['bits']:.0f}"] if row["bits"] != FLOAT_BITS else []
    parts += [f"r = {row['keep']:g}"] if row["keep"] != 1 else []
    return ", ".join(parts)


def skew_of(partition: str, alpha: float | None) -> str:
    """Return in words how labels are dealt."""
    if partition in ("dirichlet", "dirichlet_equal"):
        return f"Dirichlet {alpha:g}"
    return {"iid": "iid labels", "shards": "one class a client"}.get(partition, partition)


def compared(
    runs: pd.DataFrame, clients: Mapping[str, Any], multiplications: float
) -> pd.DataFrame:
    """Return a row per setting of a tidy table, the cheapest first among clients dealt alike.

    Columns beside the axes: `kind`, `name`, `skew`, kilobytes that a client sends (`kilobytes`) and
    is sent (`downlink_kilobytes`), multiplications to extract its features, accuracy, how far that
    is below raw features with their best head (`below_raw`), whether no cheaper setting is as good
    (`pareto`), and whether it is the cheapest of its kind within `NEAR` of raw features
    (`cheapest`).

    Args:
        runs: tidy table.
        clients: the task's block of that name, for what settings leave as it is.
        multiplications: to extract one sample's features.
    """
    # An axis that no setting names is a column of objects, which is read as numbers first.
    samples, alpha = (pd.to_numeric(runs[axis]) for axis in ("samples_per_client", "alpha"))
    runs = runs.assign(
        samples_per_client=samples.fillna(clients["samples_per_client"]),
        partition=runs["partition"].fillna(clients["partition"]),
        alpha=alpha.fillna(clients["alpha"]),
    )
    axes = ["method", "samples_per_client", "partition", "alpha", "message", "head", "bits", "keep"]
    sent = ["upload_batches", "uplink_bits", "downlink_bits"]
    rows = mean_and_spread(runs, ["setting", *axes], measured=sent)
    rows["kind"] = rows.apply(kind_of, axis=1)
    rows["name"] = rows.apply(name_of, axis=1)
    rows["skew"] = [skew_of(*dealt) for dealt in zip(rows["partition"], rows["alpha"], strict=True)]
    once = rows[rows["kind"] != ROUNDS]
    holders = once.groupby(DEALT)["upload_batches"].max().rename("clients")
    rows = rows.merge(holders.reset_index(), on=DEALT)
    rows["kilobytes"] = rows["uplink_bits"] / rows["clients"] / 8e3
    rows["downlink_kilobytes"] = rows["downlink_bits"] / rows["clients"] / 8e3
    rows["multiplications"] = rows["samples_per_client"] * multiplications
    rows["revealed"] = [revealed(row) for row in rows.to_dict("records")]
    parts = [_placed(part) for _, part in rows.groupby(DEALT, sort=False)]
    order = ["skew", "samples_per_client", "kilobytes", "accuracy"]
    return pd.concat(parts).sort_values(order, ignore_index=True, kind="stable")


def revealed(row: Mapping[str, Any]) -> str:
    """Return what the server sees of a client."""
    if row["kind"] == ROUNDS:
        return "each client's update of every round"
    by_sample = row["method"] == "fbftl" or row["message"] == "features"
    return declared("batch" if by_sample else row["message"], "REVEALS")


def _placed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of clients dealt alike with how they compare."""
    best = rows.loc[rows["kind"] == RAW, "accuracy"].max()
    rows = rows.assign(below_raw=best - rows["accuracy"])
    near = rows[rows["below_raw"] <= NEAR]
    ordered = near.sort_values(["kilobytes", "accuracy"], ascending=[True, False])
    cheapest = ordered.groupby("kind").head(1).index
    front = on_front(rows["kilobytes"], rows["accuracy"])
    return rows.assign(
        pareto=np.where(front, "yes", "no"),
        cheapest=np.where(rows.index.isin(cheapest), "yes", "no"),
    )
