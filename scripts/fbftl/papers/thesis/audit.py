"""Findings about paper thesis, those of all its systems."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.thesis import audit_budget, audit_ecos, audit_fade, audit_splitmix

PARTS = dict(budgets=audit_budget, fade=audit_fade, splitmix=audit_splitmix, ecos=audit_ecos)
"""The findings of each chapter by its page, `docs/papers/thesis-{part}.md`."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/thesis/` by their names."""
    return [replace(row, part=part) for part in PARTS for row in PARTS[part].rows(published)]
