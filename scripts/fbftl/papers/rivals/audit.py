"""Findings about the papers of the one-shot rivals."""

from collections.abc import Mapping

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditRow, finding

MEGABYTE = 10**6


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the rows, given the printed tables `accuracy` and `statements`."""
    return [a1(published["accuracy"], published["statements"])]


def a1(accuracy: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Fed3R's uplink, which counts both halves of a symmetric matrix."""
    key = {"setup": "cifar100_vit_b16", "quantity": "uplink"}
    printed = lookup(accuracy, **key, name="Fed3R")
    sums = float(lookup(accuracy, **key, name="FedCOF"))
    width = int(lookup(statements, quantity="vit_b16_width"))
    clients = int(lookup(statements, quantity="clients"))
    number = FLOAT_BITS // 8 / MEGABYTE

    def uplink(numbers: int) -> float:
        """Return the megabytes of a matrix for each client, and of the sums beside it."""
        return clients * numbers * number + sums

    halved = uplink(width * (width + 1) // 2)
    return finding("A1", [printed], [halved], "{:.1f}", whole=uplink(width**2))
