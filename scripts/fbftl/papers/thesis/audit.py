"""Findings about paper thesis, those of all its systems."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.thesis import audit_budget, audit_ecos, audit_fade, audit_splitmix


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/thesis/` by their names."""
    systems = (audit_budget, audit_ecos, audit_splitmix, audit_fade)
    return [row for system in systems for row in system.rows(published)]
