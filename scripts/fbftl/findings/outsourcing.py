"""Choices of public rows in tables and figures: names, looks, and means over seeds."""

import pandas as pd

from fbftl.findings.seeds import mean_and_spread

CHOICES = {
    "ecos": ("ECOS", "#3D5A98", "o"),
    "proximity": ("proximity alone", "#56B4E9", "s"),
    "kcenter": ("K-Center", "#E69F00", "^"),
    "random": ("random", "#CC79A7", "D"),
    "ideal": ("own domain alone (ideal)", "#009E73", "v"),
}
"""Label, colour and marker of each choice, in the order in which they are shown."""

ASKED = (
    "choice", "allocation", "centroids", "purchase", "score_power", "sampling", "mechanism",
    "sigma", "bits", "aggregation", "uploaders", "clients", "labels", "purpose",
)  # fmt: skip
"""Axes that tell a purchase apart."""

MEASURED = (
    "own_share", "inherent_share", "bought", "labelled", "label_accuracy", "uplink_bits",
    "downlink_bits",
)  # fmt: skip
"""What is told of one beside its accuracy, in the mean over seeds."""

BY_COUNTS = ("ecos", "proximity")
"""Choices that rest on counts."""


def purchases(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting of a tidy table, in the order of the choices.

    The noise of counts that have none is 0; other choices have neither noise nor centroids.
    """
    keys = [axis for axis in ASKED if axis in runs]
    found = mean_and_spread(runs, ["setting", *keys])
    own = runs.groupby("setting", sort=True)["own_share"].agg(["std", "min"])
    told = runs.groupby("setting", sort=True)[list(MEASURED)].mean()
    own = own.rename(columns={"std": "own_spread", "min": "own_least"})
    found = found.merge(told.join(own).reset_index(), on="setting")
    counting = found["choice"].isin(BY_COUNTS) & (found["purchase"] > 0)
    found["sigma"] = found["sigma"].fillna(0.0).where(counting)
    found["centroids"] = found["centroids"].where(counting)
    order = found["choice"].map(list(CHOICES).index)
    return found.assign(order=order).sort_values(["order", *keys[1:]]).drop(columns="order")


def epsilons(given: pd.DataFrame) -> pd.DataFrame:
    """Return what each setting's counts cost a row: columns setting, added, replaced.

    Args:
        given: guarantees of the experiment.
    """
    counts = given[given["given_mechanism"] == "counts"]
    wide = counts.pivot_table(index="setting", columns="adjacency", values="given_epsilon")
    names = {"add-remove": "epsilon_added", "replace-one": "epsilon_replaced"}
    return wide.reindex(columns=list(names)).rename(columns=names).reset_index()
