"""How methods and settings are written, and the methods that a table or a figure shows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pandas as pd

from fbftl.findings.tables import Column
from fbftl.findings.uploads import Upload
from fbftl.findings.wording import axes_of, setting_words, share_words


def method_label(name: str) -> str:
    """Return how tables write a method; one that is unknown keeps its name.

    The records are looked up when a page is written: a table that imported them would be made again
    for each further method.
    """
    records = import_module("fbftl.study.methods").RECORDS
    return next((record.label for record in records if record.name == name), name)


def setting_name(setting: str) -> str:
    """Return a setting in words: its method or upload, and the axes in which it deviates."""
    axes = axes_of(setting)
    method = axes.pop("method")
    name = method_label(method)
    if method == "one_shot":
        name = Upload(axes.pop("message", "features"), axes.pop("head", "mlp")).label
    return ", ".join(filter(None, [name, setting_words(axes)]))


METHOD_NAME = Column("method", "Method", format=method_label, page=True)
SETTING_NAME = Column("setting", "Setting", format=setting_name, page=True)


@dataclass(frozen=True)
class ShownMethod:
    """How one method is written and drawn everywhere, and what counts it.

    label: as tables write it; an index is behind an underscore.
    sends: once, rounds, or nothing.
    cost: the scheme that counts what it exchanges; none has no formula.
    """

    name: str
    label: str
    colour: str
    marker: str
    sends: str
    cost: str | None

    @property
    def figure_label(self) -> str:
        """The label as figures write it, its index set lower."""
        return re.sub(r"_(\w+)$", r"$_\1$", self.label)


def shown(rows: Iterable[Mapping[str, Any]]) -> dict[str, ShownMethod]:
    """Return the methods by name, in the order in which tables and figures show them."""
    return {row["name"]: ShownMethod(**row) for row in rows}


def labelled(
    table: pd.DataFrame,
    methods: Iterable[Mapping[str, Any]],
    by: Sequence[str] = (),
    ascending: bool | Sequence[bool] = True,
) -> pd.DataFrame:
    """Return a table with the label of each row's method, its rows in order.

    Args:
        table: with a column `method`.
        methods: as the plan tells them; by `method` rows are in their order.
        by: columns that rows are sorted by; none leaves them as they are.
        ascending: for all of these columns, or each.
    """
    labels = {name: method.label for name, method in shown(methods).items()}
    order = list(labels)
    table = table.assign(label=table["method"].map(labels))
    if not by:
        return table
    return table.sort_values(
        list(by),
        ascending=ascending,
        key=lambda values: values.map(order.index) if values.name == "method" else values,
        kind="stable",
    )


def figure_labels(methods: Mapping[str, ShownMethod]) -> dict[str, str]:
    """Return the labels of methods as figures write them, by name."""
    return {name: method.figure_label for name, method in methods.items()}


def of_clients(share: float) -> str:
    """Return what follows a method's label where a share of the clients takes part."""
    return "" if share == 1 else f", {share_words(share)}"
