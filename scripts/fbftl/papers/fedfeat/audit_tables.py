"""Findings that follow from paper fedfeat's own tables."""

import math

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged

PARTITIONS = ("iid", "non-iid")
GAINING = ("cifar10", "cifar100", "fmnist")
"""The data sets whose gains the paper states."""


def accuracies(tables: pd.DataFrame) -> pd.DataFrame:
    """Return Tables II and III: a row per setting and data set, a column per method, in %."""
    shown = tables[tables["table"].isin(["II", "III"])]
    scores = shown.assign(score=shown["printed"].astype(float))
    keys = ["partition", "backbone", "clients", "dataset"]
    return scores.pivot(index=keys, columns="method", values="score")


def metric(tables: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """Return one quantity of Tables IV and V: a row per partition and backbone, by epsilon."""
    shown = tables[tables["table"].isin(["IV", "V"]) & (tables["quantity"] == quantity)]
    return shown.assign(epsilon=shown["epsilon"].astype(float)).pivot(
        index=["partition", "backbone"], columns="epsilon", values="printed"
    )


def a2(tables: pd.DataFrame) -> AuditRow:
    """Correlations that Eq. (5) cannot give."""
    printed = metric(tables, "feature_correlation")
    first, last = printed.columns.min(), printed.columns.max()
    published = list(printed[last])
    computed = [_correlation_at(float(weak), first, last) for weak in printed[first]]
    grown = sorted(printed[last].astype(float) / printed[first].astype(float))
    return AuditRow(
        "A2",
        f"Tables IV and V, feature correlation at ε = {last:g}",
        "; ".join(published),
        "; ".join(f"{value:.4f}" for value in computed),
        "correlation",
        judged(published, computed),
        f"From the printed one at ε = {first:g}: noise by Eq. (5) is then {last / first:g} times "
        "smaller, and a correlation so small as many times greater. The printed ones grow "
        f"{', '.join(f'{times:.1f}' for times in grown)} times.",
    )


def _correlation_at(correlation: float, epsilon: float, other: float) -> float:
    """Return s / sqrt(s^2 + sigma^2) at another epsilon, sigma being inverse to it."""
    ratio = correlation / math.sqrt(1 - correlation**2) * other / epsilon
    return ratio / math.sqrt(1 + ratio**2)


def a4(tables: pd.DataFrame, script: pd.DataFrame) -> AuditRow:
    """The headline runs have noise, the code has none."""
    noised = metric(tables, "accuracy")
    strongest = noised.columns.max()
    headline = accuracies(tables)["FedFeat+"].xs(10, level="clients").xs("cifar10", level="dataset")
    published = [f"{headline[key]:.2f}" for key in noised.index]
    mechanisms = lookup(script, quantity="noise_mechanisms")
    return AuditRow(
        "A4",
        "Tables II and III, FedFeat+, CIFAR-10, 10 clients",
        "; ".join(published),
        "; ".join(noised[strongest]),
        "%",
        judged(published, list(map(float, noised[strongest]))),
        f"The headline accuracies are those of Tables IV and V at ε = {strongest:g}, under noise; "
        f"the authors' code has {mechanisms} mechanisms of noise.",
    )


def a6(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Consistently."""
    scores = accuracies(tables)
    lost = (scores["FedFeat+"] < scores["FedAvg"]).groupby("partition").sum()
    stated = lookup(statements, quantity="cells_lost_to_fedavg")
    few, none = (int(lost[partition]) for partition in PARTITIONS)
    return AuditRow(
        "A6",
        "Tables II and III",
        f"few; {stated}",
        f"{few}; {none}",
        "cells in which FedFeat+ is below FedAvg",
        judged([stated], [none]),
        f"Of {len(scores) // 2} cells each. Of Table II the text says ahead in nearly all "
        "configurations, which is no number; of Table III in all scenarios, which is judged.",
    )


def _greatest_gains(tables: pd.DataFrame) -> list[float]:
    """Return the greatest gain over FedAvg by partition and data set, with the CNN."""
    scores = accuracies(tables)
    gains = (scores["FedFeat+"] - scores["FedAvg"]).xs("cnn", level="backbone")
    greatest = gains.groupby(["partition", "dataset"]).max()
    return [round(greatest[part, data], 2) for part in PARTITIONS for data in GAINING]


def _stated(statements: pd.DataFrame, beginning: str) -> list[str]:
    return [
        str(lookup(statements, quantity=f"{beginning}_{part}_{data}"))
        for part in PARTITIONS
        for data in GAINING
    ]


def a7(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Gains "up to" that the tables exceed."""
    published = [*_stated(statements, "gain"), str(lookup(statements, quantity="greatest_gain"))]
    found = _greatest_gains(tables)
    computed = [*found, max(found)]
    return AuditRow(
        "A7",
        "Abstract and introduction, gains of the CNN up to",
        "; ".join(published),
        "; ".join(f"{value:.2f}" for value in computed),
        "points",
        judged(published, computed),
        "CIFAR-10, CIFAR-100 and Fashion-MNIST, iid then non-iid, and the end of the abstract's "
        "range: on Fashion-MNIST the tables' own differences are greater.",
    )


def a8(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """The conclusion's round numbers."""
    published, computed = _stated(statements, "concluded_gain"), _greatest_gains(tables)
    return AuditRow(
        "A8",
        "Conclusion, gains approximately",
        "; ".join(published),
        "; ".join(f"{value:.2f}" for value in computed),
        "points",
        judged(published, computed),
        "9.47 is given as 10 and 12.34 as 13, neither rounded nor cut.",
    )


def a9(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """A divergence that is said to rise and falls."""
    stated = lookup(statements, quantity="direction_of_kl_with_epsilon")
    printed = metric(tables, "kl_divergence").loc["non-iid"].astype(float)
    change = printed[printed.columns.max()] - printed[printed.columns.min()]
    computed = [int(math.copysign(1, value)) for value in change]
    return AuditRow(
        "A9",
        "Sec. VIII-B on Table V, KL divergence as ε grows",
        "; ".join([f"+{stated}"] * len(computed)),
        "; ".join(f"{sign:+d}" for sign in computed),
        "sign of the change",
        judged([stated] * len(computed), computed),
        "The text has mutual information and divergence rise with ε; in the table the divergence "
        "falls, as it should with less noise.",
    )


def a15(tables: pd.DataFrame) -> AuditRow:
    """Fashion-MNIST accuracies that equal MNIST's."""
    cnn = accuracies(tables).xs("cnn", level="backbone").unstack("dataset")
    gaps = {
        method: cnn[method]["mnist"] - cnn[method]["fmnist"] for method in ("FedFeat+", "FedAvg")
    }
    printed, usual = ([f"{bound:.2f}" for bound in (of.min(), of.max())] for of in gaps.values())
    return AuditRow(
        "A15",
        "Tables II and III, CNN",
        " to ".join(printed),
        " to ".join(usual),
        "points from MNIST down to Fashion-MNIST",
        judged(printed, list(map(float, usual))),
        "FedFeat+ is printed as good on Fashion-MNIST as on MNIST in all four settings, while the "
        "same CNN under FedAvg loses the usual points; nothing in the paper says why.",
    )
