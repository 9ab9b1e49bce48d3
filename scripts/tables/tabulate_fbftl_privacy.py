"""Tables of paper fbftl: accuracy under noise, and what labels tell.

Each function returns one.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.published import Setup, beside, differs, judged
from fbftl.findings.runs import mean_and_spread, reached, read_tidy
from fbftl.findings.sampling_error import with_test_set
from fbftl.findings.shown import METHOD_NAME
from fbftl.findings.steps import Axes
from fbftl.findings.tables import Column, ResultTable, read_table, three_digits
from fbftl.findings.wording import mechanism_words
from fbftl.privacy.label_privacy import batch_types
from fbftl.privacy.mechanisms import RELATIVE_NOTE, gaussian_per_client, no_mechanism

# --- privacy --------------------------------------------------------------------------------------

PRIVACY_KEYS = ["method", "samples_per_client", "mechanism", "epsilon", "label_epsilon"]

CALIBRATED = {
    "unit": "unit",
    "adjacency": "adjacency",
    "clip_norm": "clip",
    "given_sigma": "sigma",
    "given_epsilon": "reached",
    "delta": "delta",
    "given_accountant": "accountant",
    "covers_labels": "covers_labels",
    "note": "note",
}
"""Columns of the guarantee that sigma was calibrated to, and their names here."""

PRIVACY_COLUMNS = [
    Column("samples_per_client", "K", "samples", "{:.0f}", page=True),
    METHOD_NAME,
    shared.EPSILON,
    Column("label_epsilon", "ε of labels", format="{:g}", page=True),
    *shared.accuracy(),
    shared.TEST_SET,
    *shared.SEED_COUNTS,
    Column("mechanism", "Noise", format=mechanism_words),
    Column("unit", "ε is for a", page=True),
    Column("adjacency", "Neighbours"),
    Column("clip", "Clip norm c", format="{:.3g}"),
    Column("sigma", "Noise σ", "c", "{:.3g}"),
    Column("delta", "δ", format="{:.0e}"),
    Column("epsilon_sample", "ε, sample replaced", format=three_digits),
    Column("epsilon_client", "ε, client replaced", format=three_digits, page=True),
    *shared.judged_against("CIFAR-10"),
]


def privacy(
    runs: str, guarantees: str, clients: str, printed: str | Path, setups: str,
    axes: Axes, setup: Setup,
) -> ResultTable:  # fmt: skip
    """Tabulate accuracy against epsilon per method and samples per client (paper, Fig. 12).

    The methods do not protect the same thing. FbFTL's mechanism is calibrated to a sample that is
    replaced and holds against the server too; DP-FedAvg is calibrated to a client that is added or
    removed and trusts the server with every update. So beside the guarantee that the noise is
    calibrated to is what the same noise gives a replaced sample and a replaced client.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its mechanisms guarantee.
        clients: the task's client file.
        printed: published values of Fig. 12.
        setups: the published setups.
        axes: the keys of a row, with their defaults.
        setup: the task's.
    """
    table = with_guarantees(accuracies(read_tidy(runs, axes)), read_tidy(guarantees, axes))
    table = with_test_set(table.drop(columns="setting"), clients)
    table = beside(table, published.read(printed), ["method", "samples_per_client", "epsilon"])
    table.loc[table["label_epsilon"].notna(), "printed"] = None  # the paper's labels are open
    return ResultTable(judged(table, differs(setup, setups, "cifar10")), PRIVACY_COLUMNS)


def accuracies(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting and K: accuracy, its spread, seeds, and how many diverged.

    FbFTL's uploads are the same whoever holds the samples, so one run of it is at every K.
    """
    table = mean_and_spread(runs, [*PRIVACY_KEYS, "setting"])
    of_sizes = table[table["samples_per_client"].notna()]
    sizes = of_sizes["samples_per_client"].drop_duplicates().rename("size")
    if sizes.empty:
        return table
    shared = table[table["samples_per_client"].isna()].merge(sizes, how="cross")
    shared["samples_per_client"] = shared.pop("size")
    return pd.concat([of_sizes, shared], ignore_index=True).sort_values(
        PRIVACY_KEYS, ignore_index=True
    )


def with_guarantees(table: pd.DataFrame, guarantees: pd.DataFrame) -> pd.DataFrame:
    """Add the calibrated guarantee, and epsilon of a replaced sample and of a replaced client."""
    setting = table["setting"]
    for column, name in CALIBRATED.items():
        table[name] = setting.map(reached(guarantees, column))
    for unit in ("sample", "client"):
        of_unit = reached(guarantees, unit=unit, adjacency="replace-one")
        table[f"epsilon_{unit}"] = setting.map(of_unit)
    of_samples = table["mechanism"] == "gaussian"
    of_clients = table[of_samples].apply(of_all_samples, axis=1)
    return table.assign(epsilon_client=table["epsilon_client"].mask(of_samples, of_clients))


def of_all_samples(row: pd.Series) -> float | None:
    """Return the epsilon at which all K samples of a client may be replaced by any."""
    if pd.isna(row["samples_per_client"]):
        return None
    samples = int(row["samples_per_client"])
    return gaussian_per_client(
        clip_norm=row["clip"], sigma=row["sigma"], delta=row["delta"], samples=samples
    ).epsilon


# --- noise ----------------------------------------------------------------------------------------


DRAWN = {"once": "once", "redrawn": "every epoch"}
"""How often a sample's noise is drawn."""

NOISE_COLUMNS = [
    METHOD_NAME,
    Column("sigma", "Noise σ", "R std(g)", "{:g}", page=True),
    Column("noise_draw", "Noise is drawn", format=DRAWN.get, page=True),
    *shared.accuracy(),
    shared.TEST_SET,
    *shared.SEED_COUNTS,
    Column("mechanism", "Mechanism", format=mechanism_words),
    *shared.judged_against("CIFAR-10"),
]


def noise(
    runs: str, clients: str, printed: str, setups: str, axes: Axes, setup: Setup
) -> ResultTable:
    """Tabulate accuracy against the relative noise of the paper (Sec. V-B), drawn once or each
    epoch.

    In the csv the guarantee is empty, because this mechanism gives none, and a footnote says why.

    Args:
        runs: tidy table of the experiment.
        clients: the task's client file.
        printed: published values of the notebook's sweep.
        setups: the published setups.
        axes: those of the noise, with their defaults.
        setup: the task's.
    """
    by = ["method", "mechanism", "sigma", "noise_draw"]
    table = mean_and_spread(read_tidy(runs, axes), by).fillna({"sigma": 0.0})
    table = beside(table, published.read(printed), ["method", "sigma"])
    table = judged(table, differs(setup, setups, "cifar10")).assign(guarantee=pd.NA)
    notes = {True: RELATIVE_NOTE, False: no_mechanism().note}
    table["footnote"] = table["mechanism"].eq("relative").map(notes)
    table = table.sort_values(["method", "sigma", "noise_draw"])
    return ResultTable(with_test_set(table, clients), NOISE_COLUMNS)


# --- label privacy --------------------------------------------------------------------------------

TWO_PLACES = "{:.2f}"

NEAR_BITS = 0.01
"""Bits up to which two uncertainties count as equal."""

LABEL_PRIVACY_COLUMNS = [
    Column("UK", "All samples UK", format="{:,}", page=True),
    Column("K", "Samples per client K", page=True),
    Column("U", "Clients U", format="{:,}", page=True),
    Column("prior", "Before the query", "bits", TWO_PLACES, page=True),
    Column("exact", "After, all types", "bits", TWO_PLACES, page=True),
    Column("spread", "±", format="{:.3f}"),
    Column("truncated", "After, first U types", "bits", TWO_PLACES, page=True),
    Column("published", "Published", "bits", TWO_PLACES, page=True),
    shared.VERDICT,
]


def label_privacy(numbers: str, setting: dict[str, Any]) -> ResultTable:
    """Tabulate label privacy against samples per client: exact, truncated, published (Fig. 11).

    Args:
        numbers: csv of the figure: series, UK, U, K, bits, spread.
        setting: `classes` (N) and `repetitions`, the draws behind every mean.
    """
    table = side_by_side(read_table(numbers), setting["classes"], setting["repetitions"])
    return ResultTable(table, LABEL_PRIVACY_COLUMNS)


def side_by_side(numbers: pd.DataFrame, classes: int, repetitions: int) -> pd.DataFrame:
    """Return a row per UK and K with the uncertainty computed each way, the published one judged.

    Draws of all clients take the part of seeds.
    """
    of = {name: rows.drop(columns="series") for name, rows in numbers.groupby("series")}
    table = of["exact"].rename(columns={"bits": "exact"})
    for name, column in (("truncated", "truncated"), ("published", "printed")):
        other = of[name][["UK", "K", "bits"]].rename(columns={"bits": column})
        table = table.merge(other, on=["UK", "K"], how="left")
    prior = of["prior"][["K", "bits"]].rename(columns={"bits": "prior"})
    table = table.merge(prior, on="K").astype({"UK": int, "U": int})
    table["types"] = [batch_types(classes, samples) for samples in table["K"]]
    table["printed"] = table["printed"].map(str, na_action="ignore")
    table = table.assign(seeds=repetitions, printed_unit="bit")
    judgement = judged(table, reason="", score="exact", places=0, band=NEAR_BITS)
    return judgement.drop(columns="reason").sort_values(["UK", "K"])
