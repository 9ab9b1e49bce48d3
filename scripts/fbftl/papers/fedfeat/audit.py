"""Findings about paper 004 (FedFeat+)."""

from fbftl.findings.comparison import Verdict
from fbftl.papers.audit import AuditRow, Evidence


def a15(evidence: Evidence) -> AuditRow:
    """Fashion-MNIST accuracies that equal MNIST's."""
    table = evidence.published["paper004"]
    scores = table.assign(score=table["printed"].astype(float)).pivot(
        index=["partition", "clients"], columns=["method", "dataset"], values="score"
    )
    gaps = {
        method: scores[method]["mnist"] - scores[method]["fmnist"]
        for method in ("FedFeat+", "FedAvg")
    }
    return AuditRow(
        "A15",
        "paper 004, Tables II and III, CNN",
        f"{gaps['FedFeat+'].min():.2f} to {gaps['FedFeat+'].max():.2f}",
        f"{gaps['FedAvg'].min():.2f} to {gaps['FedAvg'].max():.2f}",
        "points from MNIST down to Fashion-MNIST",
        Verdict.DIFFERS,
        "FedFeat+ is printed as good on Fashion-MNIST as on MNIST in all four settings, while the "
        "same CNN under FedAvg loses the usual points; nothing in the paper says why.",
    )


def a16(evidence: Evidence) -> AuditRow:
    """Weights that sum to 1/N."""
    sizes = sorted(set(evidence.published["paper004"]["clients"]))
    shares = {clients: [1 / clients] * clients for clients in sizes}
    return AuditRow(
        "A16",
        f"paper 004, Eq. (8), {' and '.join(map(str, sizes))} clients",
        "; ".join(f"{sum(of_all):.2g}" for of_all in shares.values()),
        "; ".join(f"{sum(of_all) / clients:.2g}" for clients, of_all in shares.items()),
        "sum of the aggregation weights",
        Verdict.DIFFERS,
        "1/N and |D_i|/|D| normalise twice: the average of the models shrinks by the number of "
        "clients.",
    )


FEATURE_AVERAGING = (a15, a16)
