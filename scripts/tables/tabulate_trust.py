"""Tabulate accuracy at equal epsilon by whom it trusts: nobody, a dealer, the server.

All guarantees are for one sample, replaced by any other, its label included. Where features and
labels are noised apart their epsilons add up to what is asked, and the share of each is told; what
both cost together by their privacy loss distributions is given beside. One noise on the sum of all
statistics makes the same head whether a dealer adds it or a server that sees them: the row of the
secure sum is listed under both.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings.columns import EPSILON, SEED_COUNTS, accuracy
from fbftl.findings.run_file import read_run, weakest_privacy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, ResultTable
from fbftl.findings.uploads import UPLOADING, Upload
from fbftl.privacy.composition import compose
from fbftl.privacy.together import events_of

UNIT, NEIGHBOURS = "sample", "replace-one"

LOCAL, SUM, TRUSTED = "local", "secure sum", "trusted server"

SEEN = {"aggregation": "open"}
"""Whoever sees a message, its name is the same."""

ROUNDING = 1e-6
"""Share by which an epsilon may exceed what was asked, by rounding."""

COLUMNS = [
    Column("trust", "Trust", page=True),
    Column("what", "What is released", page=True),
    EPSILON,
    Column("epsilon_features", "ε for features", format="{:g}"),
    Column("epsilon_labels", "ε for labels", format="{:g}"),
    Column("composed", "ε composed", format="{:.3f}", page=True),
    Column("accountant", "Accountant"),
    *accuracy(),
    *SEED_COUNTS,
    Column("attack", "Membership attack", page=True),
    Column("auc", "AUC", format="{:.3f}", page=True),
    Column("proven", "It proves ε of at least", format="{:.3f}", page=True),
    Column("targets", "Targets", format="{:.0f}"),
    Column("shadows", "Shadows", format="{:.0f}"),
]


def main(
    tidy: str, runs: Sequence[str], attacked: str, axes: Mapping[str, Any],
    methods: list[dict[str, Any]],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        tidy: tidy table of the experiment.
        runs: its run files.
        attacked: what the membership attack chosen attains, by setting.
        axes: the axes that tell a row, with their defaults.
        methods: the methods shown, with their labels.
    """
    documents = list(map(read_run, runs))
    labels = {method["name"]: method["label"] for method in methods}
    scores = mean_and_spread(read_tidy(tidy, axes), ["setting"]).set_index("setting")
    rows = [
        row | scores.loc[document["name"]].to_dict() | {"setting": document["name"]}
        for document in documents
        for row in rows_of(document, axes, labels)
    ]
    table = pd.DataFrame(rows).merge(read_tidy(attacked), on="setting", how="left")
    keys = ["place", "what", "epsilon", "epsilon_labels"]
    table = table.assign(place=table["trust"].map([LOCAL, SUM, TRUSTED].index))
    return ResultTable(table.sort_values(keys, ignore_index=True).drop(columns="place"), COLUMNS)


def rows_of(
    document: Mapping[str, Any], axes: Mapping[str, Any], labels: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield a run's rows: none without such a guarantee at the epsilon that was asked."""
    setting, privacy = {**axes, **document["setting"]}, weakest_privacy(document)
    epsilon, of_labels = setting["epsilon"], setting["label_epsilon"] or 0.0
    if epsilon is None:
        return
    events, covered = events_of(privacy, UNIT, NEIGHBOURS, rows=1)
    delta = privacy[0]["delta"]
    composed = compose(events, delta, NEIGHBOURS)
    if not covered or composed.epsilon > (epsilon + of_labels) * (1 + ROUNDING):
        return
    uploads = setting["method"] in UPLOADING
    columns = {name: setting[name] for name in ("method", "message", "head")} | {
        "what": Upload.of(setting | SEEN).label if uploads else labels[setting["method"]],
        "epsilon": epsilon + of_labels,
        "epsilon_features": epsilon if of_labels else None,
        "epsilon_labels": of_labels or None,
        "composed": composed.epsilon,
        "accountant": composed.accountant,
    }
    open_ = uploads and setting["aggregation"] == "open"
    summed = uploads and setting["aggregation"] == "masked"
    for trust in [LOCAL] * open_ + [SUM] * summed + [TRUSTED] * (not open_):
        yield {"trust": trust} | columns
