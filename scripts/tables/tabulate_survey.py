"""Tables of paper survey: DP-SGD, and frameworks with what their messages tell.

Each function returns one.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.published import judged
from fbftl.findings.run_file import read_run
from fbftl.findings.runs import counted, mean_and_spread, reached, read_tidy
from fbftl.findings.shown import ShownMethod, labelled, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.wording import AS_TASK, dealt_words, listed_words
from fbftl.messages.ledger import BROADCAST, read_ledger

# --- dpsgd ----------------------------------------------------------------------------------------

NOT_REPORTED = "ε, σ, clip norm and δ are not told"

DPSGD_COLUMNS = [
    shared.EPSILON,
    *shared.accuracy(),
    *shared.SEED_COUNTS,
    Column("sigma", "Noise σ", "c", "{:.3g}", page=True),
    Column("clip_norm", "Clip norm c", format="{:g}", page=True),
    Column("delta", "δ", format="{:.0e}"),
    Column("epsilon_added", "ε, sample added or removed", format="{:.3g}", page=True),
    Column("epsilon_replaced", "ε, sample replaced", format="{:.3g}", page=True),
    *shared.judged_against("MNIST"),
]


def dpsgd(runs: str, guarantees: str, printed: str | Path, axes: Axes) -> ResultTable:
    """Tabulate accuracy against epsilon of DP-SGD, with what the noise guarantees a sample.

    The survey prints one accuracy with privacy and tells neither epsilon, sigma nor the clip norm,
    so that it is beside every epsilon and compares with none.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        printed: published accuracies.
        axes: the keys of a row, with their defaults.
    """
    table = mean_and_spread(read_tidy(runs, axes), ["mechanism", "epsilon", "setting"])
    guaranteed, setting = read_tidy(guarantees, axes), table.pop("setting")
    for name, (column, adjacency) in GUARANTEED.items():
        of_clients = reached(guaranteed, column, unit="client", adjacency=adjacency)
        table[name] = setting.map(of_clients)
    # Without noise, or under some that is not told.
    numbers = published.read(printed).set_index("noise")
    noise = table["mechanism"].eq("none").map({True: "none", False: "dp"})
    table = table.assign(
        printed=noise.map(numbers["printed"]), printed_unit=noise.map(numbers["unit"])
    )
    return ResultTable(judged(table, NOT_REPORTED), DPSGD_COLUMNS)


GUARANTEED = {
    "sigma": ("given_sigma", "add-remove"),
    "clip_norm": ("clip_norm", "add-remove"),
    "delta": ("delta", "add-remove"),
    "epsilon_added": ("given_epsilon", "add-remove"),
    "epsilon_replaced": ("given_epsilon", "replace-one"),
}
"""What noise guarantees a sample, which is a client with one sample, and by which neighbours."""


# --- frameworks -----------------------------------------------------------------------------------

TELLS = {
    "features": "features and label of every sample",
    "labels": "labels",
    "samples": "raw samples",
    "weights": "a client's model",
    "update": "a client's gradient",
    "scores": "answers of a client's model to open samples",
    "logits": "mean logits by label",
    "statistics": "sums over a client's samples",
    "centroids": "means of a client's samples by class",
    "activations": "representations of the common samples",
    "votes": "which source a client's samples resemble",
    "share": "nothing but the result, to one party alone",
}
"""What a part of a message tells whoever reads it."""

FRAMEWORKS_COLUMNS = [
    Column("label", "Framework", page=True),
    Column("partition", "Label distribution", format=dealt_words, page=True),
    Column("variant", "Setting", format=listed_words, page=True),
    Column("accuracy_alone", "Accuracy alone", format="{:.2%}", page=True),
    *shared.accuracy(format="{:.2%}"),
    Column("share_worse", "Clients that lose", format="{:.0%}"),
    *shared.SEED_COUNTS,
    Column("up", "Uplink per client", "bits", prefixed, page=True),
    Column("down", "Downlink per client", "bits", prefixed),
    Column("tells", "Messages reveal", width="4cm", page=True),
    Column("time", "Time, printed", width="4cm"),
    Column("message", "Message, printed", width="3cm"),
    Column("mechanism", "Mechanism, printed", width="3cm"),
]


def frameworks(runs: Paths, ledgers: Paths, complexity: str, methods: Methods) -> ResultTable:
    """Tabulate the survey's frameworks on the same clients, beside the complexity that is printed.

    What is measured of a setting comes from its run, what is sent from its ledger.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        complexity: what is printed of each framework.
        methods: the methods of the runs, in the order of the rows.
    """
    printed = pd.read_csv(complexity, keep_default_na=False).drop(columns="source")
    looks = shown(methods)
    rows = [
        framework_row(read_run(run), ledger, looks)
        for run, ledger in zip(runs, ledgers, strict=True)
    ]
    table = labelled(pd.DataFrame(rows), methods, ["method", "partition", "variant"])
    table = table.merge(printed.rename(columns={"framework": "method"}), how="left", on="method")
    best = table.sort_values(["partition", "accuracy"], ascending=[True, False], kind="stable")
    return ResultTable(table, FRAMEWORKS_COLUMNS, best)


def framework_row(
    run: Mapping[str, Any], ledger: str, looks: Mapping[str, ShownMethod]
) -> dict[str, Any]:
    """Return the row of one run."""
    setting = run["setting"]
    seeds = [counted(repetition, run["measures"]) for repetition in run["repetitions"]]
    accuracy = pd.Series([repetition["test_accuracy"] for repetition in seeds])
    separate = ("method", "partition", "network")
    variant = ", ".join(
        f"{axis} {value}" for axis, value in setting.items() if axis not in separate
    )
    clients = {repetition["seed"]: repetition["clients"] for repetition in run["repetitions"]}
    return {
        "method": setting["method"],
        "label": looks[setting["method"]].label,
        "partition": setting.get("partition") or AS_TASK,
        "variant": variant,
        "accuracy_alone": mean_of_all(repetition.get("accuracy_alone") for repetition in seeds),
        "accuracy": accuracy.mean(),
        "spread": accuracy.std(),
        "share_worse": mean_of_all(repetition.get("share_worse") for repetition in seeds),
        "seeds": len(seeds),
        "diverged": sum(repetition["diverged"] for repetition in run["repetitions"]),
        **per_client(ledger, clients),
    }


def mean_of_all(values: Iterable[float | None]) -> float | None:
    """Return the mean of what was measured; None if any was not."""
    measured = list(values)
    return None if None in measured else sum(measured) / len(measured)


def per_client(ledger: str, clients: Mapping[int, int]) -> dict[str, Any]:
    """Return the bits that a client sends and hears, mean over clients and seeds, and what tells.

    Every client hears a broadcast. What is sent before the first round counts as one of the rounds.

    Args:
        ledger: of a run.
        clients: number of clients of each seed.
    """
    columns = ["seed", "direction", "part", "sender", "receiver", "client", "bits"]
    sent = read_ledger(ledger, columns).to_pandas()
    share = 1 / sent["seed"].map(clients)
    uplink, downlink = sent["sender"] == "client", sent["receiver"] == "client"
    whole = downlink & (sent["client"] == BROADCAST)
    down = (sent["bits"] * share.where(~whole, 1.0))[downlink].sum()
    parts = dict.fromkeys(sent.loc[uplink, "part"].astype(str))
    return {
        "up": (sent["bits"] * share)[uplink].sum() / len(clients),
        "down": down / len(clients),
        "tells": "; ".join(TELLS[part] for part in parts if part in TELLS),
    }
