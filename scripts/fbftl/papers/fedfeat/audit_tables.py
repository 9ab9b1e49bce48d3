"""Findings that follow from paper fedfeat's own tables."""

import math

import pandas as pd

from fbftl.findings.published import Numbers
from fbftl.papers.audit import AuditRow, finding, judged

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
    words = {"first": first, "last": last, "times": last / first}
    grown = ", ".join(f"{times:.1f}" for times in grown)
    return finding("A2", published, computed, "{:.4f}", **words, grown=grown)


def _correlation_at(correlation: float, epsilon: float, other: float) -> float:
    """Return s / sqrt(s^2 + sigma^2) at another epsilon, sigma being inverse to it."""
    ratio = correlation / math.sqrt(1 - correlation**2) * other / epsilon
    return ratio / math.sqrt(1 + ratio**2)


def a4(tables: pd.DataFrame, script: Numbers) -> AuditRow:
    """The headline runs have noise, the code has none."""
    noised = metric(tables, "accuracy")
    strongest = noised.columns.max()
    headline = accuracies(tables)["FedFeat+"].xs(10, level="clients").xs("cifar10", level="dataset")
    published = [f"{headline[key]:.2f}" for key in noised.index]
    mechanisms = script["noise_mechanisms"]
    computed = list(map(float, noised[strongest]))
    words = {"strongest": strongest, "mechanisms": mechanisms}
    return finding("A4", published, computed, "{:.2f}", **words)


def a6(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """Consistently."""
    scores = accuracies(tables)
    lost = (scores["FedFeat+"] < scores["FedAvg"]).groupby("partition").sum()
    stated = text["cells_lost_to_fedavg"]
    few, none = (int(lost[partition]) for partition in PARTITIONS)
    verdict = judged([stated], [none])
    return AuditRow("A6", f"few; {stated}", f"{few}; {none}", verdict, {"cells": len(scores) // 2})


def _greatest_gains(tables: pd.DataFrame) -> list[float]:
    """Return the greatest gain over FedAvg by partition and data set, with the CNN."""
    scores = accuracies(tables)
    gains = (scores["FedFeat+"] - scores["FedAvg"]).xs("cnn", level="backbone")
    greatest = gains.groupby(["partition", "dataset"]).max()
    return [round(greatest[part, data], 2) for part in PARTITIONS for data in GAINING]


def _stated(text: Numbers, beginning: str) -> list[str]:
    return [str(text[f"{beginning}_{part}_{data}"]) for part in PARTITIONS for data in GAINING]


def a7(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """Gains "up to" that the tables exceed."""
    published = [*_stated(text, "gain"), str(text["greatest_gain"])]
    gains = _greatest_gains(tables)
    computed = [*gains, max(gains)]
    return finding("A7", published, computed, "{:.2f}")


def a8(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """The conclusion's round numbers."""
    published, computed = _stated(text, "concluded_gain"), _greatest_gains(tables)
    return finding("A8", published, computed, "{:.2f}")


def a9(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """A divergence that is said to rise and falls."""
    stated = text["direction_of_kl_with_epsilon"]
    printed = metric(tables, "kl_divergence").loc["non-iid"].astype(float)
    change = printed[printed.columns.max()] - printed[printed.columns.min()]
    computed = [int(math.copysign(1, value)) for value in change]
    return finding("A9", [stated] * len(computed), computed, "{:+d}", printed="+{}")


def a15(tables: pd.DataFrame) -> AuditRow:
    """Fashion-MNIST accuracies that equal MNIST's."""
    cnn = accuracies(tables).xs("cnn", level="backbone").unstack("dataset")
    gaps = {
        method: cnn[method]["mnist"] - cnn[method]["fmnist"] for method in ("FedFeat+", "FedAvg")
    }
    printed, usual = ([f"{bound:.2f}" for bound in (of.min(), of.max())] for of in gaps.values())
    return finding("A15", printed, list(map(float, usual)), "{:.2f}", between=" to ")
