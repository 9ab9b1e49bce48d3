"""Findings about paper eppfl."""

from collections.abc import Mapping

import pandas as pd

from fbftl.cost.layers import convolution
from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from `statements`, what its text says in numbers."""
    return [a17(published["statements"])]


def a17(statements: pd.DataFrame) -> AuditRow:
    """Laplace noise per coordinate."""
    sent = convolution("conv1_1", channels_in=3, channels_out=64, kernel=3, side=32).outputs
    stated = lookup(statements, quantity="epsilon_of_an_upload")
    return AuditRow(
        "A17",
        "Eq. (7), first convolution of VGG-19 at 32 pixels",
        str(stated),
        f"{sent:,}",
        "times ε in total",
        judged([stated], [sent]),
        "Laplace noise of scale Δ/ε on each activation is ε-DP for that activation, with δ = 0; "
        "all that is sent together is bounded by their number times ε only.",
    )
