"""Findings about paper thesis: those of every chapter, each in its own `audit_{part}.py`.

A part is named as its page, `docs/papers/thesis-{part}.md`.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.by_name import modules


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows, from the tables of `published/thesis/` by their names."""
    found: list[AuditRow] = []
    for module in modules("thesis", ["audit"]):
        _, _, part = module.partition("audit_")
        if part:
            found += [replace(row, part=part) for row in import_module(module).rows(published)]
    return found
