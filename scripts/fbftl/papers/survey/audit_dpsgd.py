"""Findings about DP-SGD (paper survey, experiment 2)."""

from collections.abc import Mapping

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, finding
from fbftl.privacy.accounting import rounds_epsilon

SAMPLES, BATCH, EPOCHS, DELTA = 60_000, 600, 10, 1e-5
"""One plausible reading: all of MNIST, a hundredth of it per round, ten passes."""

SIGMAS = (0.7, 1.1, 2.0)


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows, from `dpsgd`, the two accuracies that are printed."""
    return [a1(published["dpsgd"])]


def a1(printed: pd.DataFrame) -> AuditRow:
    """An accuracy under privacy without its epsilon."""
    accuracy = lookup(printed, noise="dp")
    sampling = {"rate": BATCH / SAMPLES, "rounds": EPOCHS * SAMPLES // BATCH}
    reached = [rounds_epsilon(sigma, DELTA, **sampling) for sigma in SIGMAS]
    computed = "; ".join(
        f"{epsilon:.2g} at σ = {sigma:g}" for sigma, epsilon in zip(SIGMAS, reached, strict=True)
    )
    return finding("A1", f"{accuracy} % at an ε that is not told", computed)
