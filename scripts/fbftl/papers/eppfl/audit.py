"""Findings about paper eppfl."""

from fbftl.cost.layers import convolution
from fbftl.findings.comparison import Verdict
from fbftl.papers.audit import AuditRow


def rows() -> list[AuditRow]:
    """Return the paper's rows."""
    return [a17()]


def a17() -> AuditRow:
    """Laplace noise per coordinate."""
    sent = convolution("conv1_1", channels_in=3, channels_out=64, kernel=3, side=32).outputs
    return AuditRow(
        "A17",
        "Eq. (7), first convolution of VGG-19 at 32 pixels",
        "1",
        f"{sent:,}",
        "times ε in total",
        Verdict.DIFFERS,
        "Laplace noise of scale Δ/ε on each activation is ε-DP for that activation, with δ = 0; "
        "all that is sent together is bounded by their number times ε only.",
    )
