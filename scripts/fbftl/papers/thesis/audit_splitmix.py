"""Findings about Split-Mix (paper thesis, ch. 4 and app. C)."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.cost.widths import TABLE_4_1
from fbftl.findings.published import Numbers, by_quantity, lookup
from fbftl.papers.audit import AuditRow, finding, judged
from fbftl.papers.thesis.work_of_widths import SPLITMIX, counted

MILLION = 10**6
WIDTHS = (0.125, 0.25, 0.5, 1.0)


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows.

    Args:
        published: `table4_1` and `c4`, both tables, and `ch4`, what the text says in numbers.
    """
    table, iid = published["table4_1"], published["c4"]
    stated = by_quantity(published["ch4"])
    return [
        a20(table), a21(table), a22(stated), a23(stated, table), a24(stated, table),
        a25(stated, table), a26(stated, table), a27(stated), a28(stated, iid), a29(stated, table),
    ]  # fmt: skip


def _both(table: pd.DataFrame, quantity: str) -> tuple[list[str], list[Fraction]]:
    """Return what is printed of every width, data set and method, and what it should be."""
    mine = table[(table["quantity"] == quantity) & (table["method"] != "SHeteroFL")]
    exact = [
        Fraction(counted(row.data, row.method, row.width, quantity), MILLION)
        for row in mine.itertuples()
    ]
    return list(mine["printed"]), exact


def _widest(table: pd.DataFrame, quantity: str) -> tuple[str, str]:
    """Return printed and exact numbers of the whole networks, for readers."""
    whole = {"method": "FedAvg individual", "width": 1.0, "quantity": quantity}
    printed = [str(lookup(table, data=data, **whole)) for data in TABLE_4_1]
    exact = [counted(data, whole["method"], 1.0, quantity) / MILLION for data in TABLE_4_1]
    return "; ".join(printed), "; ".join(f"{value:.1f}" for value in exact)


def a20(table: pd.DataFrame) -> AuditRow:
    """The multiplications of Table 4.1."""
    printed, exact = _both(table, "multiplications")
    factors = [float(value) / float(tabled) for tabled, value in zip(printed, exact, strict=True)]
    words = {"networks": len(printed), "least": min(factors), "most": max(factors)}
    return AuditRow("A20", *_widest(table, "multiplications"), judged(printed, exact), words)


def a21(table: pd.DataFrame) -> AuditRow:
    """The parameters of Table 4.1."""
    printed, exact = _both(table, "parameters")
    words = {"networks": len(printed)}
    return AuditRow("A21", *_widest(table, "parameters"), judged(printed, exact), words)


def a22(stated: Numbers) -> AuditRow:
    """The formula of the budgets."""
    words = [stated[f"budget_of_quarter_{quarter}"] for quarter in range(1, 5)]
    formula = [Fraction(1, 2) ** quarter for quarter in range(1, 5)]
    return finding("A22", words, formula, "{:g}")


def a23(stated: Numbers, table: pd.DataFrame) -> AuditRow:
    """SHeteroFL's x1 network on CIFAR10 in the text."""
    printed = stated["sheterofl_cifar10_x1"]
    tabled = _accuracy(table, "cifar10", "SHeteroFL", 1.0)
    return finding("A23", [printed], [float(tabled)])


def _share_of_whole(table: pd.DataFrame, quantity: str) -> tuple[Fraction, float]:
    """Return what part of the whole network Split-Mix has on Digits in percent: tabled, exact."""
    of = {"data": "digits", "width": 1.0, "quantity": quantity}
    methods = (SPLITMIX, "FedAvg individual")
    mixed, whole = (Fraction(lookup(table, method=method, **of)) for method in methods)
    exact = Fraction(*(counted("digits", method, 1.0, quantity) for method in methods))
    return 100 * mixed / whole, float(100 * exact)


def a24(stated: Numbers, table: pd.DataFrame) -> AuditRow:
    """Split-Mix's share of the multiplications on Digits."""
    share, exact = _share_of_whole(table, "multiplications")
    printed = stated["splitmix_share_of_multiplications"]
    return finding("A24", [printed], [share], "{:.2f}", exact=exact)


def a25(stated: Numbers, table: pd.DataFrame) -> AuditRow:
    """Widths at which Split-Mix is ahead of SHeteroFL."""
    printed = stated["widths_that_splitmix_wins"]
    behind = [
        f"x{width:g} on {data}"
        for data in TABLE_4_1
        for width in WIDTHS
        if _accuracy(table, data, "Split-Mix", width) <= _accuracy(table, data, "SHeteroFL", width)
    ]
    wins = len(TABLE_4_1) * len(WIDTHS) - len(behind)
    return finding("A25", [printed], [wins], behind=", ".join(behind))


def a26(stated: Numbers, table: pd.DataFrame) -> AuditRow:
    """SHeteroFL's narrowest network on CIFAR10."""
    printed = stated["sheterofl_leads_at_an_eighth_of_cifar10"]
    slim, base = (_accuracy(table, "cifar10", m, 0.125) for m in ("SHeteroFL", "Split-Mix"))
    return finding("A26", [printed], [int(slim > base)], slim=slim, base=base)


def a27(stated: Numbers) -> AuditRow:
    """The data of Table C.4."""
    caption, text = (stated[f"classes_per_client_by_{source}_c4"] for source in ("caption", "text"))
    return finding("A27", [caption], [int(text)])


def a28(stated: Numbers, iid: pd.DataFrame) -> AuditRow:
    """What SHeteroFL needs for Split-Mix's accuracy on half of the data."""
    printed = stated["accuracy_that_sheterofl_doubles_for"]
    mine = iid[(iid["method"] == "SHeteroFL") & (iid["quantity"] == "accuracy")]
    half = mine[mine["data_percent"] == 50]
    best = max(map(Decimal, half["printed"]))
    return finding("A28", [printed], [float(best)])


def a29(stated: Numbers, table: pd.DataFrame) -> AuditRow:
    """Split-Mix's share of the parameters on Digits."""
    share, exact = _share_of_whole(table, "parameters")
    printed = stated["splitmix_share_of_parameters"]
    return finding("A29", [printed], [share], "{:.2f}", exact=exact)


def _accuracy(table: pd.DataFrame, data: str, method: str, width: float) -> Decimal:
    return lookup(table, data=data, method=method, width=width, quantity="accuracy")
