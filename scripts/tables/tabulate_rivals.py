"""Tables of one-shot uploads: costs, trust, and what is printed of them.

Each function returns one.
"""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.published import Setup, Verdict, differs, judged, on_front
from fbftl.findings.run_file import read_run, weakest_privacy
from fbftl.findings.runs import mean_and_spread, read_tidy
from fbftl.findings.sampling_error import with_test_set
from fbftl.findings.shown import method_label
from fbftl.findings.steps import Axes, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed, ratio
from fbftl.findings.uploads import HEADS, UPLOADING, Upload, by_upload
from fbftl.ground.ring import WORD_BITS
from fbftl.models.cost.compute import solving
from fbftl.models.cost.layers import Network, multiplications, read_network
from fbftl.privacy.composition import compose
from fbftl.privacy.replaced import ADJACENCY, events_of_sample
from fbftl.study.uploads import READ

# --- uploads --------------------------------------------------------------------------------------


UPLOADS_COLUMNS = [
    Column("name", "Upload", page=True),
    Column("head", "Head", format=lambda head: HEADS.get(head, head), page=True),
    Column("clients", "Clients", format="{:,.0f}"),
    Column("numbers_per_client", "Numbers per client", format="{:,.0f}"),
    Column("bits_per_client", "Uplink per client", "bits", prefixed, page=True),
    Column("times_fbftl", "Uplink over FbFTL's", format=ratio, page=True),
    Column("airtime", "Airtime per client", "s", "{:.3g}"),
    Column("sending_energy", "Energy to send, in all", "J", "{:.3g}"),
    *shared.accuracy(),
    shared.TEST_SET,
    shared.SEEDS,
    Column("multiplications", "Multiplications to solve", format=prefixed),
    Column("solving_energy", "Energy to solve", "J", "{:.3g}"),
    Column("summable", "Messages can be summed", page=True),
    Column("revealed", "The server sees", width="5cm", page=True),
    Column("pareto", "On the Pareto front", page=True),
    shared.DIVERGED,
]

UPLOAD_KEYS = ["setting", *READ, "epsilon"]


def uploads(
    runs: str, network: str, clients: str, axes: Axes,
    radio: Mapping[str, float], training: Mapping[str, Any],
) -> ResultTable:  # fmt: skip
    """Tabulate what a client may upload: bits, airtime, energy, accuracy, and what the server sees.

    Readers see the most accurate first.

    Args:
        runs: tidy table of the experiment.
        network: the task's layers and its cut.
        clients: the task's client file.
        axes: those of uploads, with their defaults.
        radio: data rate and energies, from the configuration.
        training: the task's training values.
    """
    table = uploads_table(read_tidy(runs, axes), read_network(network), radio, training)
    table = with_test_set(table, clients)
    best = table.sort_values("accuracy", ascending=False, kind="stable")
    return ResultTable(table, UPLOADS_COLUMNS, best)


def uploads_table(
    runs: pd.DataFrame, network: Network, radio: Mapping[str, float], training: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a row per setting, in the order of messages and heads."""
    sent = ["upload_batches", "numbers_per_batch", "uplink_payload_bits", "uplink_bits"]
    table = mean_and_spread(runs, UPLOAD_KEYS, measured=sent)
    table = table.rename(
        columns={"upload_batches": "clients", "numbers_per_batch": "numbers_per_client"}
    )
    table["bits_per_client"] = table["uplink_bits"] / table["clients"]
    plain = table.loc[table["setting"] == "fbftl", "uplink_bits"]
    table["times_fbftl"] = table["uplink_bits"] / plain.iloc[0] if len(plain) else None
    table["airtime"] = table["bits_per_client"] / radio["data_rate"]
    table["sending_energy"] = table["uplink_bits"] * radio["joules_per_bit"]
    parts = []
    for upload, rows in by_upload(table):
        # Training the task's head is a pass forward and one backward (Eq. 16).
        batches = training["epochs"] * ceil(rows["offered"].max() / training["batch"])
        trained = 2 * batches * training["batch"] * multiplications(network.head)
        width, classes = upload.projection or network.feature_width, network.head[-1].outputs
        parts.append(
            rows.assign(
                name=upload.label,
                multiplications=float(solving(upload.head, width, classes, trained)),
                summable="yes" if upload.summable else "no",
                revealed=upload.revealed,
            )
        )
    table = pd.concat(parts, ignore_index=True)
    table["solving_energy"] = table["multiplications"] * radio["joules_per_multiplication"]
    front = on_front(table["uplink_bits"], table["accuracy"])
    return table.assign(pareto=np.where(front, "yes", "no"))


# --- rings ----------------------------------------------------------------------------------------

RINGS_COLUMNS = [
    Column("name", "Upload", page=True),
    shared.EPSILON,
    Column("fraction_bits", "Bits behind the point", format="{:.0f}", page=True),
    Column("largest_sum", "Bound on the sum", format="{:,.0f}", page=True),
    Column("ring_bits", "Bits of a masked number", format="{:.0f}", page=True),
    Column("saved", f"Saved of {WORD_BITS} bits", format="{:.0%}", page=True),
    Column("bits_per_client", "Uplink per client", "bits", prefixed, page=True),
    *shared.accuracy(),
    *shared.SEED_COUNTS,
]

RING_KEYS = ["setting", *READ, "epsilon", "fraction_bits"]

MEASURED = ["ring_bits", "largest_sum", "uplink_payload_bits", "upload_batches"]


def rings(runs: str, axes: Axes) -> ResultTable:
    """Tabulate the bits that masked numbers need: of the smallest ring of a sum, beside a whole
    word.

    Where nothing bounds a sum there is no smaller ring, and the row says so.

    Args:
        runs: tidy table of the experiment.
        axes: those of uploads, with their defaults.
    """
    return ResultTable(rings_table(read_tidy(runs, axes)), RINGS_COLUMNS)


def rings_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each masked setting of a tidy table, in the order of messages and heads."""
    masked = runs[runs["aggregation"] != "open"]
    rows = mean_and_spread(masked, RING_KEYS, measured=MEASURED)
    order = {"epsilon": True, "fraction_bits": False}
    rows = rows.sort_values([*order], ascending=[*order.values()], na_position="first")
    rows = by_name(rows)
    return rows.assign(
        bounded=rows["largest_sum"].notna().map({True: "yes", False: "no: a whole word"}),
        saved=1 - rows["ring_bits"] / WORD_BITS,
        bits_per_client=rows["uplink_payload_bits"] / rows["upload_batches"],
    )


# --- published rivals -----------------------------------------------------------------------------


PUBLISHED_RIVALS_COLUMNS = [
    Column("name", "Upload"),
    Column("source", "Published by, and on what", width="5cm"),
    Column("printed", "Published accuracy", "%"),
    Column("task", "Task here"),
    *shared.accuracy("Accuracy here"),
    shared.SEEDS,
    shared.VERDICT,
    shared.REASON,
]


NOT_MEASURED = pd.DataFrame(columns=["task", "name", "accuracy", "spread", "seeds"])


def published_rivals(
    runs: Paths, printed: str, setups: str, axes: Axes, tasks: Mapping[str, Setup]
) -> ResultTable:
    """Tabulate what papers print of one-shot rivals beside what was measured here, and what
    differs.

    Args:
        runs: tidy tables of the uploads, one for each task.
        printed: the published accuracies.
        setups: the published setups.
        axes: those of uploads, with their defaults.
        tasks: setup of each task.
    """
    accuracies = [NOT_MEASURED] * (not runs)
    for path in runs:
        read = read_tidy(path, axes)
        plain = read[read["mechanism"].eq("none") & read["aggregation"].eq("open")]
        accuracies.append(by_name(mean_and_spread(plain, ["task", *READ])))
    rows = published.read(printed).rename(columns={"unit": "printed_unit"})
    rows = rows[rows["quantity"] == "accuracy"].drop(columns="quantity")
    table = rows.merge(pd.concat(accuracies, ignore_index=True), on="name", how="left")
    parts = [
        part.assign(verdict=str(Verdict.NOT_RUN), reason="")
        if pd.isna(task)
        else judged(part, differs(tasks[task], setups, setup, "rivals"))
        for (task, setup), part in table.groupby(["task", "setup"], dropna=False)
    ]
    judgement = pd.concat(parts)[["verdict", "reason"]]
    return ResultTable(table.join(judgement), PUBLISHED_RIVALS_COLUMNS)


def by_name(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of uploads with the names of these, in their order."""
    named = [of_upload.assign(name=upload.label) for upload, of_upload in by_upload(rows)]
    return pd.concat(named, ignore_index=True)


# --- trust ----------------------------------------------------------------------------------------

LOCAL, SUM, TRUSTED = "local", "secure sum", "trusted server"

TRUSTED_BY = {LOCAL: "nobody", SUM: "a trusted dealer", TRUSTED: "the server"}
"""Who is trusted, by the model of trust."""

SEEN = {"aggregation": "open"}
"""Whoever sees a message, its name is the same."""

ROUNDING = 1e-6
"""Share by which an epsilon may exceed what was asked, by rounding."""

TRUST_COLUMNS = [
    Column("trust", "Trusted", format=TRUSTED_BY.get, page=True),
    Column("what", "What is released", page=True),
    shared.EPSILON,
    Column("epsilon_labels", "ε of labels", format="{:g}", page=True),
    Column("composed", "ε composed", format="{:.3f}"),
    *shared.accuracy(),
    *shared.SEED_COUNTS,
    Column("attack", "Best membership attack", page=True),
    Column("auc", "AUC", format="{:.3f}", page=True),
    Column("proven", "Its proof: ε is at least", format="{:.2f}", page=True),
]


def trust(tidy: str, runs: Paths, attacked: str, axes: Axes) -> ResultTable:
    """Tabulate accuracy at equal epsilon by whom it trusts: nobody, a dealer, the server.

    All guarantees are for one sample, replaced by any other, its label included. Where features and
    labels are noised apart their epsilons add up to what is asked, and the share of each is told;
    what both cost together by their privacy loss distributions is given beside. One noise on the
    sum of all statistics makes the same head whether a dealer adds it or a server that sees them:
    the row of the secure sum is listed under both.

    Args:
        tidy: tidy table of the experiment.
        runs: its run files.
        attacked: what the membership attack chosen attains, by setting.
        axes: the axes that tell a row, with their defaults.
    """
    scores = mean_and_spread(read_tidy(tidy, axes), ["setting"]).set_index("setting")
    rows = [
        row | scores.loc[document["name"]].to_dict() | {"setting": document["name"]}
        for document in map(read_run, runs)
        for row in rows_of(document, axes)
    ]
    table = pd.DataFrame(rows).merge(read_tidy(attacked), on="setting", how="left")
    places = table["trust"].map([LOCAL, SUM, TRUSTED].index)
    keys = ["place", "what", "epsilon", "epsilon_labels"]
    order = table.assign(place=places).sort_values(keys).index
    return ResultTable(table.loc[order].reset_index(drop=True), TRUST_COLUMNS)


def rows_of(document: Mapping[str, Any], axes: Axes) -> Iterator[dict[str, Any]]:
    """Yield a run's rows: none without such a guarantee at the epsilon that was asked."""
    setting, privacy = {**axes, **document["setting"]}, weakest_privacy(document)
    epsilon, of_labels = setting["epsilon"], setting["label_epsilon"] or 0.0
    if epsilon is None:
        return
    events, covered = events_of_sample(privacy)
    delta = privacy[0]["delta"]
    composed = compose(events, delta, ADJACENCY)
    if not covered or composed.epsilon > (epsilon + of_labels) * (1 + ROUNDING):
        return
    uploads = setting["method"] in UPLOADING
    columns = {name: setting[name] for name in ("method", "message", "head")} | {
        "what": Upload.of(setting | SEEN).label if uploads else method_label(setting["method"]),
        "epsilon": epsilon + of_labels,
        "epsilon_features": epsilon if of_labels else None,
        "epsilon_labels": of_labels or None,
        "composed": composed.epsilon,
    }
    open_ = uploads and setting["aggregation"] == "open"
    summed = uploads and setting["aggregation"] == "masked"
    for trust in [LOCAL] * open_ + [SUM] * summed + [TRUSTED] * (not open_):
        yield {"trust": trust} | columns
