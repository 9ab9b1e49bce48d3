"""Findings about paper fedfeat (FedFeat+)."""

from collections.abc import Mapping

import pandas as pd

from fbftl.findings.published import by_quantity
from fbftl.papers.audit import AuditRow
from fbftl.papers.fedfeat import audit_setup, audit_tables


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows.

    Args:
        published: `tables`, Tables II to V; `statements`, what its text says in numbers; `script`,
            settings of its code.
    """
    tables = published["tables"]
    text, script = by_quantity(published["statements"]), by_quantity(published["script"])
    return [
        audit_setup.a1(text),
        audit_tables.a2(tables),
        audit_setup.a3(text, script),
        audit_tables.a4(tables, script),
        audit_setup.a5(text, script),
        audit_tables.a6(tables, text),
        audit_tables.a7(tables, text),
        audit_tables.a8(tables, text),
        audit_tables.a9(tables, text),
        audit_setup.a10(text),
        audit_setup.a11(text),
        audit_setup.a12(text),
        audit_setup.a14(tables, text),
        audit_tables.a15(tables),
        audit_setup.a16(tables, text),
        audit_setup.a17(text, script),
    ]
