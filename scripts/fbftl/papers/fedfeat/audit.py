"""Findings about paper fedfeat (FedFeat+)."""

from collections.abc import Mapping

import pandas as pd

from fbftl.findings.comparison import Verdict
from fbftl.papers.audit import AuditRow


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from `cnn`, the CNN's rows of Tables II and III."""
    return [a15(published["cnn"]), a16(published["cnn"])]


def a15(cnn: pd.DataFrame) -> AuditRow:
    """Fashion-MNIST accuracies that equal MNIST's."""
    scores = cnn.assign(score=cnn["printed"].astype(float)).pivot(
        index=["partition", "clients"], columns=["method", "dataset"], values="score"
    )
    gaps = {
        method: scores[method]["mnist"] - scores[method]["fmnist"]
        for method in ("FedFeat+", "FedAvg")
    }
    return AuditRow(
        "A15",
        "Tables II and III, CNN",
        f"{gaps['FedFeat+'].min():.2f} to {gaps['FedFeat+'].max():.2f}",
        f"{gaps['FedAvg'].min():.2f} to {gaps['FedAvg'].max():.2f}",
        "points from MNIST down to Fashion-MNIST",
        Verdict.DIFFERS,
        "FedFeat+ is printed as good on Fashion-MNIST as on MNIST in all four settings, while the "
        "same CNN under FedAvg loses the usual points; nothing in the paper says why.",
    )


def a16(cnn: pd.DataFrame) -> AuditRow:
    """Weights that sum to 1/N."""
    sizes = sorted(set(cnn["clients"]))
    shares = {clients: [1 / clients] * clients for clients in sizes}
    return AuditRow(
        "A16",
        f"Eq. (8), {' and '.join(map(str, sizes))} clients",
        "; ".join(f"{sum(of_all):.2g}" for of_all in shares.values()),
        "; ".join(f"{sum(of_all) / clients:.2g}" for clients, of_all in shares.items()),
        "sum of the aggregation weights",
        Verdict.DIFFERS,
        "1/N and |D_i|/|D| normalise twice: the average of the models shrinks by the number of "
        "clients.",
    )
