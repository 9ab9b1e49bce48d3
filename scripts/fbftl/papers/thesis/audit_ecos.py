"""Findings about ECOS (paper thesis, ch. 5 and app. D)."""

from collections.abc import Callable
from decimal import Decimal
from math import comb, log, sqrt

import numpy as np
import pandas as pd

from fbftl.ground.floats import FLOAT_BYTES
from fbftl.methods.ecos.coverage import counts_guarantee
from fbftl.methods.ecos.coverage import printed as shared_out
from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord

PAGE = "thesis-ecos"

KILO = 1000
ORDERS = range(2, 2001)
"""Orders of Rényi divergence over which the thesis's recipe is minimised."""

TASKS = ("Digits", "DomainNet")
MINE, OTHERS = "ECOS", ("K-Center", "Random")


def _epsilon(record: PaperRecord) -> list[Decimal]:
    """Return what the query costs on Digits and on DomainNet: the mean of the printed domains."""
    table = record.published["tables5"]
    chosen = table[(table["table"] == 5.2) & (table["method"] == MINE)]
    chosen = chosen[(chosen["quantity"] == "epsilon") & (chosen["domain"] != "avg")]
    by_domain = [chosen[chosen["data"] == task]["printed"].map(Decimal).tolist() for task in TASKS]
    return [sum(values, Decimal(0)) / len(values) for values in by_domain]


def _cost(record: PaperRecord, epsilon: Callable[[float, float, float], float]) -> AuditFinding:
    """Return what the query costs beside what follows from its noise, sampling and delta."""
    stated = record.numbers("ch5")
    rate, delta = float(stated["sampling"]), float(stated["delta"])
    noises = [float(stated[name]) for name in ("noise_digits", "noise_domainnet")]
    return finding(_epsilon(record), [epsilon(each, rate, delta) for each in noises], "{:.4f}")


def a10(record: PaperRecord) -> AuditFinding:
    """What the query costs a row that is added or removed."""
    return _cost(record, lambda *of: counts_guarantee(*of)[0].epsilon)


def a11(record: PaperRecord) -> AuditFinding:
    """What the query costs a row that is replaced."""
    return _cost(record, lambda *of: counts_guarantee(*of)[1].epsilon)


def sampled_rdp(order: int, rate: float, sigma: float) -> float:
    """Return the Rényi divergence of a Poisson-sampled Gaussian of sensitivity 1 (Mironov 2019)."""
    terms = [
        log(comb(order, k)) + k * log(rate) + (order - k) * log(1 - rate)
        + (k * k - k) / (2 * sigma**2)
        for k in range(order + 1)
    ]  # fmt: skip
    return float(np.logaddexp.reduce(terms)) / (order - 1)


def recipe(noise: float, rate: float, delta: float) -> float:
    """Return ε as the thesis seems to have it: sensitivity √2, converted order by order.

    Sampling by adding or removing rows goes with the sensitivity of a row replaced.
    """
    least = float("inf")
    for order in ORDERS:
        epsilon = sampled_rdp(order, rate, noise / sqrt(2)) + log(1 / delta) / (order - 1)
        if epsilon > least:
            break
        least = epsilon
    return least


def a12(record: PaperRecord) -> AuditFinding:
    """The recipe behind the printed epsilons."""
    return _cost(record, recipe)


def a13(record: PaperRecord) -> AuditFinding:
    """How far one absent row moves the scores."""
    stated = record.numbers("ch5")
    moved = np.bincount([0, 1, 1], minlength=3) - np.bincount([0, 1], minlength=3)
    return finding([stated["sensitivity"]], [int(np.abs(moved).sum())])


def a14(record: PaperRecord) -> AuditFinding:
    """What is uploaded and downloaded."""
    stated = record.numbers("ch5")
    count, width = int(stated["centroids"]), int(stated["features"])
    sent = [count * FLOAT_BYTES, count * width * FLOAT_BYTES / KILO]
    printed = [stated["upload"], stated["download"]]
    return finding(printed, sent, "{:g}", count=count, kilobytes=count * width / KILO)


def a15(record: PaperRecord) -> AuditFinding:
    """The sign of the covering radius in the objective."""
    stated = record.numbers("ch5")
    far, near = np.array([0.0, 10.0]), np.array([0.0])
    both, one = (max(min(abs(x - s) for s in chosen) for x in far) for chosen in (far, near))
    sign = 1 if both < one else -1
    return finding([stated["sign_of_radius"]], [sign], of_both=both, of_one=one)


def a16(record: PaperRecord) -> AuditFinding:
    """The budget of a cluster as it is printed."""
    stated = record.numbers("ch5")
    budget = int(stated["equal_budget"])
    selected = int(shared_out(np.array([1.0, 0.0]), np.array([budget, budget]), budget).sum())
    return finding([budget], [selected])


def _accuracies(table: pd.DataFrame, number: float, **key: object) -> pd.DataFrame:
    """Return a table's accuracies by domain and method, averages left out."""
    chosen = table[(table["table"] == number) & (table["quantity"] == "accuracy")]
    chosen = chosen[chosen["domain"] != "avg"]
    for column, value in key.items():
        chosen = chosen[chosen[column] == value]
    by = chosen.assign(value=chosen["printed"].astype(float))
    return by.pivot_table(index=["data", "domain"], columns="method", values="value")


def _ahead(accuracies: pd.DataFrame) -> pd.Series:
    """Tell in which rows ECOS is above both others."""
    return accuracies[MINE] > accuracies[list(OTHERS)].max(axis=1)


def a17(record: PaperRecord) -> AuditFinding:
    """Where compression gains."""
    table, stated = record.published["tables5"], record.numbers("ch5")
    ahead = _ahead(_accuracies(table, 5.3, budget=3000)).droplevel("data")
    count = int(ahead[["Clipart", "Real"]].sum())
    small = _ahead(_accuracies(table, 5.3, budget=1000)).droplevel("data")
    words = {"ahead": ahead.index[ahead], "ahead_of_small": small.index[small]}
    named = {name: ", ".join(domains) for name, domains in words.items()}
    return finding([stated["compression_gains"]], [count], **named)


def a18(record: PaperRecord) -> AuditFinding:
    """Where client labels gain."""
    table, stated = record.published["tables5"], record.numbers("ch5")
    ahead = _ahead(_accuracies(table, 5.4))
    behind = ", ".join(domain for _, domain in ahead.index[~ahead])
    return finding([stated["client_label_gains"]], [int(ahead.sum())], behind=behind)


def a19(record: PaperRecord) -> AuditFinding:
    """The budget at which K-Center is worse than random on Quickdraw."""
    table, stated = record.published["tables5"], record.numbers("ch5")
    budgets = sorted(set(table[(table["domain"] == "Quickdraw")]["budget"]))
    near = int(table[(table["table"] == 5.4) & (table["domain"] == "Quickdraw")]["budget"].iloc[0])
    return finding([stated["quickdraw_budget"]], [near], budgets=" and ".join(map(str, budgets)))
