"""Tabulate the survey's frameworks on the same clients, beside the complexity that is printed.

What is measured of a setting comes from its run, what is sent from its ledger; the attack on what
is sent is the first one of the setting.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from fbftl.findings.columns import SEED_COUNTS, accuracy
from fbftl.findings.run_file import read_run
from fbftl.findings.seeds import counted
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.wording import AS_TASK
from fbftl.ground.csv_tables import read_table
from fbftl.messages.ledger import BROADCAST, read_ledger

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
    "ciphertext": "nothing but the result, without the key",
}
"""What a part of a message tells whoever reads it."""

COLUMNS = [
    Column("label", "Framework", page=True),
    Column("partition", "Clients' labels", page=True),
    Column("variant", "Setting"),
    Column("accuracy_alone", "Accuracy alone", format="{:.2%}", page=True),
    *accuracy(format="{:.2%}"),
    Column("share_worse", "Clients that lose", format="{:.0%}"),
    *SEED_COUNTS,
    Column("up", "Up per client", "bit", prefixed, page=True),
    Column("rounds", "Rounds with uploads", format="{:.0f}"),
    Column("up_in_round", "Up per client in one of them", "bit", prefixed),
    Column("down", "Down per client", "bit", prefixed),
    Column("tells", "What is sent tells", width="4cm", page=True),
    Column("attack", "Attack", page=True),
    Column("adversary", "Adversary", width="3cm"),
    Column("measure", "Measure", width="2cm"),
    Column("attained", "Attained", format="{:.3f}", page=True),
    Column("blind", "Blind guess", format="{:.3f}"),
    Column("time", "Time, printed", width="4cm"),
    Column("message", "Message, printed", width="3cm"),
    Column("mechanism", "Mechanism, printed", width="3cm"),
]

WITHOUT = "no algorithm is printed"
"""Said of a framework that no method can be."""


def main(
    runs: list[str], ledgers: list[str], complexity: str, methods: list[dict[str, Any]],
    attacks: str | None = None,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        complexity: what is printed of each framework.
        methods: the methods of the runs, in the order of the rows.
        attacks: what adversaries find in the messages of settings, where they are attacked.
    """
    printed = pd.read_csv(complexity, keep_default_na=False).drop(columns="source")
    looks = shown(methods)
    rows = [row(read_run(run), ledger, looks) for run, ledger in zip(runs, ledgers, strict=True)]
    table = pd.DataFrame(rows)
    table["place"] = table["method"].map({name: index for index, name in enumerate(looks)})
    table = table.sort_values(["place", "partition", "variant"]).drop(columns="place")
    table = table.merge(first_attacks(attacks), how="left", on="setting").drop(columns="setting")
    table = table.merge(printed.rename(columns={"framework": "method"}), how="left", on="method")
    others = printed[~printed["framework"].isin(looks)]
    missing = [
        {
            "label": framework["framework"].replace("_", " ").title(),
            "variant": WITHOUT,
            **{key: framework[key] for key in ("time", "message", "mechanism")},
        }
        for framework in others.to_dict("records")
    ]
    return ResultTable(pd.concat([table, pd.DataFrame(missing)], ignore_index=True), COLUMNS)


def first_attacks(path: str | None) -> pd.DataFrame:
    """Return the first attack on each setting, by the setting's name; none without a table."""
    kept = ["setting", "attack", "adversary", "measure", "value", "blind"]
    attacks = pd.DataFrame(columns=kept) if path is None else read_table(path)[kept]
    return attacks.drop_duplicates("setting").rename(columns={"value": "attained"})


def row(run: Mapping[str, Any], ledger: str, looks: Mapping[str, ShownMethod]) -> dict[str, Any]:
    """Return the row of one run."""
    setting = run["setting"]
    seeds = [counted(repetition, run["measures"]) for repetition in run["repetitions"]]
    accuracy = pd.Series([repetition["test_accuracy"] for repetition in seeds])
    separate = ("method", "partition", "network")
    variant = ", ".join(
        f"{axis} {value}" for axis, value in setting.items() if axis not in separate
    )
    return {
        "method": setting["method"],
        "setting": run["name"],
        "label": looks[setting["method"]].label,
        "partition": setting.get("partition") or AS_TASK,
        "variant": variant,
        "accuracy_alone": mean(repetition.get("accuracy_alone") for repetition in seeds),
        "accuracy": accuracy.mean(),
        "spread": accuracy.std(),
        "share_worse": mean(repetition.get("share_worse") for repetition in seeds),
        "seeds": len(seeds),
        "diverged": sum(repetition["diverged"] for repetition in run["repetitions"]),
        **per_client(
            ledger, {repetition["seed"]: repetition["clients"] for repetition in run["repetitions"]}
        ),
    }


def mean(values: Iterable[float | None]) -> float | None:
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
    columns = ["seed", "direction", "part", "sender", "receiver", "round", "client", "bits"]
    sent = read_ledger(ledger, columns).to_pandas()
    share = 1 / sent["seed"].map(clients)
    uplink, downlink = sent["sender"] == "client", sent["receiver"] == "client"
    whole = downlink & (sent["client"] == BROADCAST)
    down = (sent["bits"] * share.where(~whole, 1.0))[downlink].sum()
    parts = dict.fromkeys(sent.loc[uplink, "part"].astype(str))
    up = (sent["bits"] * share)[uplink].sum() / len(clients)
    rounds = sent[uplink].groupby("seed")["round"].nunique().mean()
    return {
        "up": up,
        "rounds": rounds,
        "up_in_round": up / rounds,
        "down": down / len(clients),
        "tells": "; ".join(TELLS[part] for part in parts if part in TELLS),
    }
