"""Findings that follow from paper fedfeat's own tables."""

import math

import pandas as pd

from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord

PARTITIONS = ("iid", "non-iid")
GAINING = ("cifar10", "cifar100", "fmnist")
"""The data sets whose gains the paper states."""


def accuracies(record: PaperRecord) -> pd.DataFrame:
    """Return Tables II and III: a row per setting and data set, a column per method, in %."""
    tables = record.published["tables"]
    shown = tables[tables["table"].isin(["II", "III"])]
    scores = shown.assign(score=shown["printed"].astype(float))
    keys = ["partition", "backbone", "clients", "dataset"]
    return scores.pivot(index=keys, columns="method", values="score")


def metric(record: PaperRecord, quantity: str) -> pd.DataFrame:
    """Return one quantity of Tables IV and V: a row per partition and backbone, by epsilon."""
    tables = record.published["tables"]
    shown = tables[tables["table"].isin(["IV", "V"]) & (tables["quantity"] == quantity)]
    return shown.assign(epsilon=shown["epsilon"].astype(float)).pivot(
        index=["partition", "backbone"], columns="epsilon", values="printed"
    )


def a2(record: PaperRecord) -> AuditFinding:
    """Correlations that Eq. (5) cannot give."""
    printed = metric(record, "feature_correlation")
    first, last = printed.columns.min(), printed.columns.max()
    computed = [_correlation_at(float(weak), first, last) for weak in printed[first]]
    grown = sorted(printed[last].astype(float) / printed[first].astype(float))
    words = {"first": first, "last": last, "times": last / first}
    words |= {"grown": ", ".join(f"{times:.1f}" for times in grown)}
    return finding(list(printed[last]), computed, "{:.4f}", **words)


def _correlation_at(correlation: float, epsilon: float, other: float) -> float:
    """Return s / sqrt(s^2 + sigma^2) at another epsilon, sigma being inverse to it."""
    ratio = correlation / math.sqrt(1 - correlation**2) * other / epsilon
    return ratio / math.sqrt(1 + ratio**2)


def a4(record: PaperRecord) -> AuditFinding:
    """The headline runs have noise, the code has none."""
    noised = metric(record, "accuracy")
    strongest = noised.columns.max()
    headline = accuracies(record)["FedFeat+"].xs((10, "cifar10"), level=("clients", "dataset"))
    published = [f"{headline[key]:.2f}" for key in noised.index]
    mechanisms = record.number("script", quantity="noise_mechanisms")
    computed = list(map(float, noised[strongest]))
    return finding(published, computed, "{:.2f}", strongest=strongest, mechanisms=mechanisms)


def a6(record: PaperRecord) -> AuditFinding:
    """Consistently."""
    scores = accuracies(record)
    lost = (scores["FedFeat+"] < scores["FedAvg"]).groupby("partition").sum()
    stated = record.number("statements", quantity="cells_lost_to_fedavg")
    few, none = (int(lost[partition]) for partition in PARTITIONS)
    shown = f"few; {stated}", f"{few}; {none}"
    return finding([stated], [none], shown=shown, cells=len(scores) // 2)


def _greatest_gains(record: PaperRecord) -> list[float]:
    """Return the greatest gain over FedAvg by partition and data set, with the CNN."""
    scores = accuracies(record)
    gains = (scores["FedFeat+"] - scores["FedAvg"]).xs("cnn", level="backbone")
    greatest = gains.groupby(["partition", "dataset"]).max()
    return [round(greatest[part, data], 2) for part in PARTITIONS for data in GAINING]


def _stated(record: PaperRecord, beginning: str) -> list[str]:
    text = record.numbers("statements")
    return [str(text[f"{beginning}_{part}_{data}"]) for part in PARTITIONS for data in GAINING]


def a7(record: PaperRecord) -> AuditFinding:
    """Gains "up to" that the tables exceed."""
    greatest = str(record.number("statements", quantity="greatest_gain"))
    gains = _greatest_gains(record)
    return finding([*_stated(record, "gain"), greatest], [*gains, max(gains)], "{:.2f}")


def a8(record: PaperRecord) -> AuditFinding:
    """The conclusion's round numbers."""
    return finding(_stated(record, "concluded_gain"), _greatest_gains(record), "{:.2f}")


def a9(record: PaperRecord) -> AuditFinding:
    """A divergence that is said to rise and falls."""
    stated = record.number("statements", quantity="direction_of_kl_with_epsilon")
    printed = metric(record, "kl_divergence").loc["non-iid"].astype(float)
    change = printed[printed.columns.max()] - printed[printed.columns.min()]
    computed = [int(math.copysign(1, value)) for value in change]
    return finding([stated] * len(computed), computed, "{:+d}", printed="+{}")


def a15(record: PaperRecord) -> AuditFinding:
    """Fashion-MNIST accuracies that equal MNIST's."""
    cnn = accuracies(record).xs("cnn", level="backbone").unstack("dataset")
    gaps = (cnn[method]["mnist"] - cnn[method]["fmnist"] for method in ("FedFeat+", "FedAvg"))
    printed, usual = ([of.min(), of.max()] for of in gaps)
    shown = [f"{bound:.2f}" for bound in printed]
    return finding(shown, list(map(float, usual)), "{:.2f}", between=" to ")
