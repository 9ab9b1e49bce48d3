"""What figures show of a table of widths: one run of each method and order of budgets."""

import pandas as pd

ORDERS = {"by_domain": "Budgets by domain", "spread": "Budgets spread over domains"}
"""Titles of panels, by the order in which budgets go over clients."""

WHATEVER = ("fedavg",)
"""Methods whose clients all train the same width, whatever their budgets."""


def as_in_the_thesis(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows under exponential budgets, a run of each method and order.

    Bases begin rescaled, as the thesis has it, where such ran under every order that the method ran
    under; else none of them do. Their layers are not rescaled.

    Args:
        table: of widths; FedAvg has no budgets, and is given those of the first order.
    """
    rows = table.fillna({"budgets": "exponential", "budget_order": "by_domain"})
    rows = rows[(rows["budgets"] == "exponential") & ~rows["rescaled_layers"]]
    in_order = rows.groupby(["method", "budget_order"])["rescaled_init"].transform("any")
    return rows[rows["rescaled_init"] == in_order.groupby(rows["method"]).transform("all")]


def orders_of(rows: pd.DataFrame) -> dict[str, str]:
    """Return titles of the orders of budgets under which anything ran; one panel at least."""
    ran = rows.loc[~rows["method"].isin(WHATEVER), "budget_order"].unique()
    if set(ran) == {"by_domain"} and has_one_domain(rows):
        return {"by_domain": "Budgets by client"}
    orders = {order: title for order, title in ORDERS.items() if order in ran}
    return orders or {"by_domain": "All clients train one width"}


def has_one_domain(rows: pd.DataFrame) -> bool:
    """Tell whether a table of widths is of one domain, and has no accuracies by domain."""
    with_spread = {name for name in rows.columns if f"{name}_spread" in rows.columns}
    return len(with_spread - {"gap"}) <= 1
