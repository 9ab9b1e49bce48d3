"""Findings about ECOS (paper thesis, ch. 5 and app. D)."""

from collections.abc import Mapping
from decimal import Decimal
from math import comb, log, sqrt

import numpy as np
import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
from fbftl.privacy.counting import counts_guarantee
from fbftl.training.coverage import printed as shared_out

FLOAT_BYTES = 4
KILO = 1000
ORDERS = range(2, 2001)
"""Orders of Rényi divergence over which the thesis's recipe is minimised."""

TASKS = ("Digits", "DomainNet")
MINE, OTHERS = "ECOS", ("K-Center", "Random")

Printed = Mapping[str, Decimal]


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows.

    Args:
        published: `tables5`, Tables 5.1 to 5.5, and `ch5`, what the text says in numbers.
    """
    table = published["tables5"]
    said = {name: lookup(published["ch5"], quantity=name) for name in published["ch5"]["quantity"]}
    return [
        a10(table, said), a11(table, said), a12(table, said), a13(said), a14(said), a15(said),
        a16(said), a17(table, said), a18(table, said), a19(table, said),
    ]  # fmt: skip


def _epsilon(table: pd.DataFrame) -> list[Decimal]:
    """Return what the query costs on Digits and on DomainNet: the mean of the printed domains."""
    chosen = table[(table["table"] == 5.2) & (table["method"] == MINE)]
    chosen = chosen[(chosen["quantity"] == "epsilon") & (chosen["domain"] != "avg")]
    by_domain = [chosen[chosen["data"] == task]["printed"].map(Decimal).tolist() for task in TASKS]
    return [sum(values, Decimal(0)) / len(values) for values in by_domain]


def _noise(said: Printed) -> list[float]:
    return [float(said[name]) for name in ("noise_digits", "noise_domainnet")]


def _exact(said: Printed, place: int) -> list[float]:
    rate, delta = float(said["sampling"]), float(said["delta"])
    return [counts_guarantee(noise, rate, delta)[place].epsilon for noise in _noise(said)]


def _of_epsilon(
    id: str, where: str, printed: list[Decimal], found: list[float], explanation: str
) -> AuditRow:
    return AuditRow(
        id,
        where,
        "; ".join(map(str, printed)),
        "; ".join(f"{value:.4f}" for value in found),
        "ε at δ 1e-5, noise 25 and 10",
        judged(printed, found),
        explanation,
    )


def a10(table: pd.DataFrame, said: Printed) -> AuditRow:
    """What the query costs a row that is added or removed."""
    return _of_epsilon(
        "A10",
        "Table 5.2, ε of the query, a row added or removed",
        _epsilon(table),
        _exact(said, 0),
        "By privacy loss distributions; one row moves one count by one. The table has ε by domain "
        "and no average of it: what stands as published is the mean, computed here.",
    )


def a11(table: pd.DataFrame, said: Printed) -> AuditRow:
    """What the query costs a row that is replaced."""
    return _of_epsilon(
        "A11",
        "Table 5.2, ε of the query, a row replaced",
        _epsilon(table),
        _exact(said, 1),
        "By privacy loss distributions, at the worst case of a row that moves two counts.",
    )


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
        found = sampled_rdp(order, rate, noise / sqrt(2)) + log(1 / delta) / (order - 1)
        if found > least:
            break
        least = found
    return least


def a12(table: pd.DataFrame, said: Printed) -> AuditRow:
    """The recipe behind the printed epsilons."""
    rate, delta = float(said["sampling"]), float(said["delta"])
    return _of_epsilon(
        "A12",
        "Table 5.2, ε of the query by Rényi divergences at sensitivity √2",
        _epsilon(table),
        [recipe(noise, rate, delta) for noise in _noise(said)],
        "The one reading that gives both; it counts a row as sampled by being added or removed "
        "and its effect as that of a row replaced.",
    )


def a13(said: Printed) -> AuditRow:
    """How far one absent row moves the scores."""
    moved = np.bincount([0, 1, 1], minlength=3) - np.bincount([0, 1], minlength=3)
    found = int(np.abs(moved).sum())
    return AuditRow(
        "A13",
        "Lemma 6, proof: the scores without one row",
        str(said["sensitivity"]),
        str(found),
        "counts",
        judged([said["sensitivity"]], [found]),
        "An absent row is missing from one count; two change by one each where it is replaced.",
    )


def a14(said: Printed) -> AuditRow:
    """What is uploaded and downloaded."""
    count, width = int(said["centroids"]), int(said["features"])
    sent = [count * FLOAT_BYTES, count * width * FLOAT_BYTES / KILO]
    printed = [said["upload"], said["download"]]
    return AuditRow(
        "A14",
        "Sec. 5.4.2, scores uploaded; centroids downloaded",
        "; ".join(map(str, printed)),
        "; ".join(f"{value:g}" for value in sent),
        "bytes; KB",
        judged(printed, sent),
        f"With floats; one byte for each number would be {count} bytes and {count * width / KILO} "
        "KB, and the thesis never says that it rounds scores or centroids.",
    )


def a15(said: Printed) -> AuditRow:
    """The sign of the covering radius in the objective."""
    far, near = np.array([0.0, 10.0]), np.array([0.0])
    radius = {len(own): max(min(abs(x - s) for s in own) for x in far) for own in (far, near)}
    sign = 1 if radius[2] < radius[1] else -1
    return AuditRow(
        "A15",
        "Eq. (5.2), the sign of H",
        str(said["sign_of_radius"]),
        str(sign),
        "sign",
        judged([said["sign_of_radius"]], [sign]),
        f"H is the largest distance of a row to the chosen ones: {radius[2]:g} where both of two "
        f"rows are chosen, {radius[1]:g} where one is. Subtracted from what is minimised it "
        "rewards the worse cover; farthest-first lowers it.",
    )


def a16(said: Printed) -> AuditRow:
    """The budget of a cluster as it is printed."""
    budget = int(said["equal_budget"])
    bought = int(shared_out(np.array([1.0, 0.0]), np.array([budget, budget]), budget).sum())
    return AuditRow(
        "A16",
        "Alg. 5.1, line 9: rows of a client that lies in one of two equal clusters",
        str(budget),
        str(bought),
        "rows",
        judged([said["equal_budget"]], [bought]),
        "The rule caps by a cluster's share of the cloud, so that a client which covers a share of "
        "the cloud gets that share of the budget at most; the comparisons are at equal budgets.",
    )


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


def a17(table: pd.DataFrame, said: Printed) -> AuditRow:
    """Where compression gains."""
    ahead = _ahead(_accuracies(table, 5.3, budget=3000)).droplevel("data")
    found = int(ahead[["Clipart", "Real"]].sum())
    small = _ahead(_accuracies(table, 5.3, budget=1000)).droplevel("data")
    return AuditRow(
        "A17",
        "Sec. 5.4.1 against Table 5.3, gains on Clipart and Real",
        str(said["compression_gains"]),
        str(found),
        "domains",
        judged([said["compression_gains"]], [found]),
        f"At 3000 samples ECOS is ahead on {', '.join(ahead.index[ahead])}; at 1000 on "
        f"{', '.join(small.index[small])}.",
    )


def a18(table: pd.DataFrame, said: Printed) -> AuditRow:
    """Where client labels gain."""
    ahead = _ahead(_accuracies(table, 5.4))
    behind = ", ".join(domain for _, domain in ahead.index[~ahead])
    return AuditRow(
        "A18",
        "Sec. 5.4.1 against Table 5.4, ahead of both baselines",
        str(said["client_label_gains"]),
        str(int(ahead.sum())),
        "domains",
        judged([said["client_label_gains"]], [int(ahead.sum())]),
        f"Behind on {behind}; ahead in both averages.",
    )


def a19(table: pd.DataFrame, said: Printed) -> AuditRow:
    """The budget at which K-Center is worse than random on Quickdraw."""
    budgets = sorted(set(table[(table["domain"] == "Quickdraw")]["budget"]))
    near = int(table[(table["table"] == 5.4) & (table["domain"] == "Quickdraw")]["budget"].iloc[0])
    return AuditRow(
        "A19",
        "Sec. 5.4.1 against Table 5.4, the budget of Quickdraw",
        str(said["quickdraw_budget"]),
        str(near),
        "rows",
        judged([said["quickdraw_budget"]], [near]),
        f"Quickdraw is tabled at {' and '.join(map(str, budgets))} only.",
    )
