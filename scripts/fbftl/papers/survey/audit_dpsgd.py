"""Findings about DP-SGD (paper survey, experiment 2)."""

from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import rounds_epsilon

SAMPLES, BATCH, EPOCHS, DELTA = 60_000, 600, 10, 1e-5
"""One plausible reading: all of MNIST, a hundredth of it per round, ten passes."""

SIGMAS = (0.7, 1.1, 2.0)


def a1(record: PaperRecord) -> AuditFinding:
    """An accuracy under privacy without its epsilon."""
    accuracy = record.number("dpsgd", noise="dp")
    sampling = {"rate": BATCH / SAMPLES, "rounds": EPOCHS * SAMPLES // BATCH}
    computed = "; ".join(
        f"{rounds_epsilon(sigma, DELTA, **sampling):.2g} at σ = {sigma:g}" for sigma in SIGMAS
    )
    return finding(f"{accuracy} % at an ε that is not told", computed)
