"""Choices of public rows in tables and figures: names, looks, and means over seeds."""

import pandas as pd

from fbftl.findings.runs import mean_and_spread
from fbftl.study.outsourcing import ASKED, COUNTING

CHOICES = {
    "ecos": ("ECOS", "#3D5A98", "o"),
    "proximity": ("proximity alone", "#56B4E9", "s"),
    "kcenter": ("K-Center", "#E69F00", "^"),
    "random": ("random", "#CC79A7", "D"),
    "ideal": ("own domain alone (ideal)", "#009E73", "v"),
}
"""Label, colour and marker of each choice, in the order in which they are shown."""

MEASURED = (
    "own_share", "inherent_share", "bought", "labelled", "label_accuracy", "uplink_bits",
    "downlink_bits", "frozen_bits",
)  # fmt: skip
"""What is told of one beside its accuracy, in the mean over seeds."""


def purchases(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting of a tidy table, in the order of the choices.

    The noise of counts that have none is 0; other choices have neither noise nor centroids.
    """
    keys = [axis for axis in ASKED if axis in runs]
    table = mean_and_spread(runs, ["setting", *keys], measured=MEASURED)
    shares = runs.groupby("setting")["own_share"].agg(own_share_spread="std", own_least="min")
    table = table.merge(shares.reset_index(), on="setting")
    counting = table["purchase_rule"].isin(COUNTING) & (table["purchase"] > 0)
    table["sigma"] = table["sigma"].fillna(0.0).where(counting)
    table["centroids"] = table["centroids"].where(counting)
    order = table["purchase_rule"].map(list(CHOICES).index)
    return table.assign(order=order).sort_values(["order", *keys[1:]]).drop(columns="order")
