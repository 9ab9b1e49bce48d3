"""Findings about paper survey, those of all its systems."""

from collections.abc import Callable, Mapping

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.survey import audit_dpsgd, audit_frameworks

SYSTEMS: tuple[Callable[[Mapping[str, pd.DataFrame]], list[AuditRow]], ...] = (
    audit_dpsgd.rows,
    audit_frameworks.rows,
)
"""What finds the rows of each system, in the paper's order."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/survey/` by their names."""
    return [row for system in SYSTEMS for row in system(published)]
