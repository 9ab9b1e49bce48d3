"""Findings about paper fedfeat (FedFeat+)."""

from collections.abc import Mapping

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows.

    Args:
        published: `cnn`, the CNN's rows of Tables II and III, and `statements`, what its text says
            in numbers.
    """
    return [a15(published["cnn"]), a16(published["cnn"], published["statements"])]


def a15(cnn: pd.DataFrame) -> AuditRow:
    """Fashion-MNIST accuracies that equal MNIST's."""
    scores = cnn.assign(score=cnn["printed"].astype(float)).pivot(
        index=["partition", "clients"], columns=["method", "dataset"], values="score"
    )
    gaps = {
        method: scores[method]["mnist"] - scores[method]["fmnist"]
        for method in ("FedFeat+", "FedAvg")
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


def a16(cnn: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Weights that sum to 1/N."""
    sizes = sorted(set(cnn["clients"]))
    stated = lookup(statements, quantity="sum_of_weights")
    # 1 / N in front of shares |D_i| / |D| that sum to 1 themselves.
    sums = [1 / clients for clients in sizes]
    return AuditRow(
        "A16",
        f"Eq. (8), {' and '.join(map(str, sizes))} clients",
        "; ".join([str(stated)] * len(sizes)),
        "; ".join(f"{total:.2g}" for total in sums),
        "sum of the aggregation weights",
        judged([stated] * len(sizes), sums),
        "1/N and |D_i|/|D| normalise twice: the average of the models shrinks by the number of "
        "clients.",
    )
