"""Findings about paper thesis, those of all its systems."""

from collections.abc import Callable, Mapping

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.thesis import audit_budget, audit_ecos, audit_fade, audit_splitmix

SYSTEMS: tuple[Callable[[Mapping[str, pd.DataFrame]], list[AuditRow]], ...] = (
    audit_budget.rows,
    audit_ecos.rows,
    audit_splitmix.rows,
    audit_fade.rows,
)
"""What finds the rows of each system, in the paper's order."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/thesis/` by their names."""
    return [row for system in SYSTEMS for row in system(published)]
