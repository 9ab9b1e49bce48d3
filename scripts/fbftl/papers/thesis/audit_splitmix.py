"""Findings about Split-Mix (paper thesis, ch. 4 and app. C)."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.cost.layers import parameters, products
from fbftl.cost.widths import TABLE_4_1
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged

MILLION = 10**6
BASE = Fraction(1, 8)
WIDTHS = (0.125, 0.25, 0.5, 1.0)


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows.

    Args:
        published: `table4_1` and `c4`, both tables, and `ch4`, what the text says in numbers.
    """
    table, iid = published["table4_1"], published["c4"]
    said = {name: lookup(published["ch4"], quantity=name) for name in published["ch4"]["quantity"]}
    return [
        a20(table), a21(table), a22(said), a23(said, table), a24(said, table), a25(said, table),
        a26(said, table), a27(said), a28(said, iid),
    ]  # fmt: skip


def counted(data: str, method: str, width: float, quantity: str) -> int:
    """Return the exact parameters or multiplications of a data set's network at a width."""
    network, share = TABLE_4_1[data], Fraction(width)
    count = {"parameters": parameters, "multiplications": products}[quantity]
    if method == "Split-Mix":
        return int(share / BASE) * count(network(BASE))
    return count(network(share))


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
    factors = [float(value) / float(own) for own, value in zip(printed, exact, strict=True)]
    shown, computed = _widest(table, "multiplications")
    return AuditRow(
        "A20",
        "Table 4.1, MACs of the x1 networks on CIFAR10, Digits, DomainNet",
        shown,
        computed,
        "millions of multiplications",
        judged(printed, exact),
        f"The caption says M = 10^6; over all {len(printed)} networks the exact count is "
        f"{min(factors):.1f} to {max(factors):.1f} times the printed number, so that ratios of "
        "widths hold.",
    )


def a21(table: pd.DataFrame) -> AuditRow:
    """The parameters of Table 4.1."""
    printed, exact = _both(table, "parameters")
    shown, computed = _widest(table, "parameters")
    return AuditRow(
        "A21",
        "Table 4.1, parameters of the x1 networks on CIFAR10, Digits, DomainNet",
        shown,
        computed,
        "millions of parameters",
        judged(printed, exact),
        f"All {len(printed)} counts follow from the networks with ten classes and their batch "
        "normalisations, mixtures of bases included.",
    )


def a22(said: Mapping[str, Decimal]) -> AuditRow:
    """The formula of the budgets."""
    words = [said[f"budget_of_quarter_{quarter}"] for quarter in range(1, 5)]
    formula = [Fraction(1, 2) ** quarter for quarter in range(1, 5)]
    return AuditRow(
        "A22",
        "Sec. 4.3, R_k = (1/2)^⌈4k/K⌉",
        "; ".join(map(str, words)),
        "; ".join(f"{float(value):g}" for value in formula),
        "width of each quarter of the clients",
        judged(words, formula),
        "By the formula nobody trains the whole network and the last quarter not even a base; "
        "(1/2)^⌊4(k-1)/K⌋ is what the words say.",
    )


def a23(said: Mapping[str, Decimal], table: pd.DataFrame) -> AuditRow:
    """SHeteroFL's x1 network on CIFAR10 in the text."""
    printed = said["sheterofl_cifar10_x1"]
    tabled = _accuracy(table, "cifar10", "SHeteroFL", 1.0)
    return AuditRow(
        "A23",
        "Sec. 4.5 against Table 4.1, SHeteroFL x1 on CIFAR10",
        str(printed),
        str(tabled),
        "% accuracy",
        judged([printed], [float(tabled)]),
        "No entry of Table 4.1 is near it on CIFAR10; Table C.4 has 81.9 for SHeteroFL's narrowest "
        "network on iid data.",
    )


def a24(said: Mapping[str, Decimal], table: pd.DataFrame) -> AuditRow:
    """Split-Mix's share of the multiplications on Digits."""
    printed = said["splitmix_share_of_multiplications"]
    of = {"data": "digits", "width": 1.0, "quantity": "multiplications"}
    mixed, whole = (lookup(table, method=m, **of) for m in ("Split-Mix", "FedAvg individual"))
    share = 100 * Fraction(mixed) / Fraction(whole)
    exact = Fraction(*(counted("digits", m, 1.0, "multiplications") for m in ("Split-Mix", "full")))
    return AuditRow(
        "A24",
        "Sec. 4.5 against Table 4.1, MACs of Split-Mix on Digits",
        str(printed),
        f"{float(share):.2f}",
        "% of the whole network's",
        judged([printed], [share]),
        f"The table's own numbers give it; the exact counts give {float(100 * exact):.1f} %. 19.8 "
        "is Split-Mix's number of MACs on DomainNet.",
    )


def a25(said: Mapping[str, Decimal], table: pd.DataFrame) -> AuditRow:
    """Widths at which Split-Mix is ahead of SHeteroFL."""
    printed = said["widths_that_splitmix_wins"]
    behind = [
        f"x{width:g} on {data}"
        for data in TABLE_4_1
        for width in WIDTHS
        if _accuracy(table, data, "Split-Mix", width) <= _accuracy(table, data, "SHeteroFL", width)
    ]
    wins = len(TABLE_4_1) * len(WIDTHS) - len(behind)
    return AuditRow(
        "A25",
        "Sec. 4.5 against Table 4.1, Split-Mix ahead at the same width",
        str(printed),
        str(wins),
        "widths",
        judged([printed], [wins]),
        f"SHeteroFL is ahead at {', '.join(behind)}.",
    )


def a26(said: Mapping[str, Decimal], table: pd.DataFrame) -> AuditRow:
    """SHeteroFL's narrowest network on CIFAR10."""
    printed = said["sheterofl_leads_at_an_eighth_of_cifar10"]
    slim, base = (_accuracy(table, "cifar10", m, 0.125) for m in ("SHeteroFL", "Split-Mix"))
    return AuditRow(
        "A26",
        "Sec. 4.5 against Table 4.1, SHeteroFL x0.125 on CIFAR10",
        str(printed),
        str(int(slim > base)),
        "widths of one that SHeteroFL leads at",
        judged([printed], [int(slim > base)]),
        f"The text explains why its narrowest network is much worse; it has {slim} % against "
        f"Split-Mix's {base} %.",
    )


def a27(said: Mapping[str, Decimal]) -> AuditRow:
    """The data of Table C.4."""
    caption, text = (said[f"classes_per_client_by_{place}_c4"] for place in ("caption", "text"))
    return AuditRow(
        "A27",
        "Table C.4, caption against Sec. C.1.4",
        str(caption),
        str(text),
        "classes per client",
        judged([caption], [int(text)]),
        "The caption says class non-iid; the section, the table's own headings and accuracies "
        "thirty points above Table 4.1's say iid.",
    )


def a28(said: Mapping[str, Decimal], iid: pd.DataFrame) -> AuditRow:
    """What SHeteroFL needs for Split-Mix's accuracy on half of the data."""
    printed = said["accuracy_that_sheterofl_doubles_for"]
    mine = iid[(iid["method"] == "SHeteroFL") & (iid["quantity"] == "accuracy")]
    half = mine[mine["data_percent"] == 50]
    best = max(map(Decimal, half["printed"]))
    return AuditRow(
        "A28",
        "Sec. C.1.4 against Table C.4, SHeteroFL at twice the complexity",
        str(printed),
        str(best),
        "% accuracy",
        judged([printed], [float(best)]),
        "Its best at any width on half of the data; no complexity buys it Split-Mix's accuracy.",
    )


def _accuracy(table: pd.DataFrame, data: str, method: str, width: float) -> Decimal:
    return lookup(table, data=data, method=method, width=width, quantity="accuracy")
