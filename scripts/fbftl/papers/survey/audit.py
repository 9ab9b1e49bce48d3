"""Findings about paper survey, those of all its systems."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.survey import audit_dpsgd, audit_frameworks


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/survey/` by their names."""
    systems = (audit_dpsgd, audit_frameworks)
    return [row for system in systems for row in system.rows(published)]
