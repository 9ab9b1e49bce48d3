"""Findings about Split-Mix (paper thesis, ch. 4 and app. C), by counts in closed form.

Table 4.1 counts a network in use; Fig. 4.5 counts what a client multiplies in a step of training.
There a client of SHeteroFL trains every slice up to its budget, one after the other, and a client
of Split-Mix as many bases as fit. A step back multiplies twice as much as the way forward in all of
them, so that ratios are those of the way forward.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from statistics import fmean

from fbftl.models.cost.architectures import TABLE_4_1
from fbftl.models.cost.layers import parameters, products
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord
from fbftl.study.widths import GROUPS

BASE = Fraction(1, 8)
"""Width of a base, and of the narrowest slice."""

SPLITMIX, SHETEROFL = "Split-Mix", "SHeteroFL"
"""Methods as Table 4.1 calls them."""

MULTIPLICATIONS = "multiplications"

COUNTS = {"parameters": parameters, MULTIPLICATIONS: products}
"""What Table 4.1 has of every network."""

BUDGETS = GROUPS["exponential"]
"""Widths that quarters of the clients can train (Sec. 4.3)."""


def counted(data: str, method: str, width: float | Fraction, quantity: str) -> int:
    """Return the exact parameters or multiplications of a data set's network at a width.

    Args:
        data: as Table 4.1 calls it.
        method: a mixture of Split-Mix has as many bases as fit; all others have one network.
        width: share of the whole network's units.
        quantity: parameters, or multiplications of one image's way forward.
    """
    network, share, count = TABLE_4_1[data], Fraction(width), COUNTS[quantity]
    if method == SPLITMIX:
        return int(share / BASE) * count(network(BASE))
    return count(network(share))


def trained_by_client(data: str, method: str) -> float:
    """Return the multiplications of a step of training, for each image forward, mean over clients.

    Args:
        data: as Table 4.1 calls it; its network is counted.
        method: SHeteroFL or Split-Mix.
    """
    widths_of_quarters = [
        [width for width in BUDGETS if width <= budget] if method == SHETEROFL else [budget]
        for budget in BUDGETS
    ]
    return fmean(
        sum(counted(data, method, width, MULTIPLICATIONS) for width in widths)
        for widths in widths_of_quarters
    )


PAGE = "thesis-splitmix"

MILLION = 10**6
WIDTHS = (0.125, 0.25, 0.5, 1.0)


def _tabled(record: PaperRecord, quantity: str) -> AuditFinding:
    """Return what is printed of every width, data set and method; the whole networks are shown."""
    table = record.published["table4_1"]
    mine = table[(table["quantity"] == quantity) & (table["method"] != "SHeteroFL")]
    cells = zip(mine["data"], mine["method"], mine["width"], strict=True)
    exact = [Fraction(counted(*cell, quantity), MILLION) for cell in cells]
    factors = [
        float(value) / float(tabled) for tabled, value in zip(mine["printed"], exact, strict=True)
    ]
    whole = {"method": "FedAvg individual", "width": 1.0, "quantity": quantity}
    printed = [str(record.number("table4_1", data=data, **whole)) for data in TABLE_4_1]
    computed = [counted(data, whole["method"], 1.0, quantity) / MILLION for data in TABLE_4_1]
    shown = "; ".join(printed), "; ".join(f"{value:.1f}" for value in computed)
    words = {"networks": len(exact), "least": min(factors), "most": max(factors)}
    return finding(list(mine["printed"]), exact, shown=shown, **words)


def a20(record: PaperRecord) -> AuditFinding:
    """The multiplications of Table 4.1."""
    return _tabled(record, "multiplications")


def a21(record: PaperRecord) -> AuditFinding:
    """The parameters of Table 4.1."""
    return _tabled(record, "parameters")


def a22(record: PaperRecord) -> AuditFinding:
    """The formula of the budgets."""
    stated, quarters = record.numbers("ch4"), range(1, 5)
    words = [stated[f"budget_of_quarter_{quarter}"] for quarter in quarters]
    return finding(words, [Fraction(1, 2) ** quarter for quarter in quarters], "{:g}")


def a23(record: PaperRecord) -> AuditFinding:
    """SHeteroFL's x1 network on CIFAR10 in the text."""
    printed = record.number("ch4", quantity="sheterofl_cifar10_x1")
    return finding([printed], [float(_accuracy(record, "cifar10", "SHeteroFL", 1.0))])


def _share_of_whole(record: PaperRecord, quantity: str) -> AuditFinding:
    """Return what part of the whole network Split-Mix has on Digits in percent: tabled, exact."""
    of = {"data": "digits", "width": 1.0, "quantity": quantity}
    methods = (SPLITMIX, "FedAvg individual")
    mixed, whole = (Fraction(record.number("table4_1", method=name, **of)) for name in methods)
    exact = Fraction(*(counted("digits", method, 1.0, quantity) for method in methods))
    printed = record.number("ch4", quantity=f"splitmix_share_of_{quantity}")
    return finding([printed], [100 * mixed / whole], "{:.2f}", exact=float(100 * exact))


def a24(record: PaperRecord) -> AuditFinding:
    """Split-Mix's share of the multiplications on Digits."""
    return _share_of_whole(record, "multiplications")


def a25(record: PaperRecord) -> AuditFinding:
    """Widths at which Split-Mix is ahead of SHeteroFL."""
    printed = record.number("ch4", quantity="widths_that_splitmix_wins")
    behind = [
        f"x{width:g} on {data}"
        for data, width in product(TABLE_4_1, WIDTHS)
        if _accuracy(record, data, "Split-Mix", width)
        <= _accuracy(record, data, "SHeteroFL", width)
    ]
    wins = len(TABLE_4_1) * len(WIDTHS) - len(behind)
    return finding([printed], [wins], behind=", ".join(behind))


def a26(record: PaperRecord) -> AuditFinding:
    """SHeteroFL's narrowest network on CIFAR10."""
    printed = record.number("ch4", quantity="sheterofl_leads_at_an_eighth_of_cifar10")
    slim, base = (_accuracy(record, "cifar10", m, 0.125) for m in ("SHeteroFL", "Split-Mix"))
    return finding([printed], [int(slim > base)], slim=slim, base=base)


def a27(record: PaperRecord) -> AuditFinding:
    """The data of Table C.4."""
    caption, text = (
        record.number("ch4", quantity=f"classes_per_client_by_{source}_c4")
        for source in ("caption", "text")
    )
    return finding([caption], [int(text)])


def a28(record: PaperRecord) -> AuditFinding:
    """What SHeteroFL needs for Split-Mix's accuracy on half of the data."""
    printed, iid = record.numbers("ch4"), record.published["c4"]
    mine = iid[(iid["method"] == "SHeteroFL") & (iid["quantity"] == "accuracy")]
    best = max(map(Decimal, mine[mine["data_percent"] == 50]["printed"]))
    return finding([printed["accuracy_that_sheterofl_doubles_for"]], [float(best)])


def a29(record: PaperRecord) -> AuditFinding:
    """Split-Mix's share of the parameters on Digits."""
    return _share_of_whole(record, "parameters")


def _accuracy(record: PaperRecord, data: str, method: str, width: float) -> Decimal:
    key = {"data": data, "method": method, "width": width}
    return record.number("table4_1", quantity="accuracy", **key)
