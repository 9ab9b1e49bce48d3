"""Which rows of a table of widths figures show."""

import pandas as pd
from plot_thesis_widths import as_in_the_thesis, orders_of


def table(*runs: tuple[str, str | None, bool]) -> pd.DataFrame:
    """Return rows of methods with the order of their budgets, and whether bases begin rescaled."""
    rows = pd.DataFrame(runs, columns=["method", "budget_order", "rescaled_init"])
    return rows.assign(budgets="exponential", rescaled_layers=False)


def test_bases_begin_rescaled_where_such_ran_under_every_order() -> None:
    one = table(("splitmix", "by_domain", False), ("splitmix", "by_domain", True))
    assert as_in_the_thesis(one)["rescaled_init"].tolist() == [True]
    both = pd.concat([one, table(("splitmix", "spread", False))], ignore_index=True)
    assert as_in_the_thesis(both)["rescaled_init"].tolist() == [False, False]


def test_an_order_has_a_panel_where_budgets_ran_under_it() -> None:
    rows = as_in_the_thesis(table(("fedavg", None, False), ("sheterofl", "spread", False)))
    assert list(orders_of(rows)) == ["spread"]
