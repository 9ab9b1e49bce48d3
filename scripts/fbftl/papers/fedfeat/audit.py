"""Findings about paper fedfeat (FedFeat+)."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.audit import AuditRow
from fbftl.papers.fedfeat import audit_setup, audit_tables


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the paper's rows.

    Args:
        published: `tables`, Tables II to V; `statements`, what its text says in numbers; `script`,
            settings of its code.
    """
    tables, statements, script = (published[name] for name in ("tables", "statements", "script"))
    return [
        audit_setup.a1(statements),
        audit_tables.a2(tables),
        audit_setup.a3(statements, script),
        audit_tables.a4(tables, script),
        audit_setup.a5(statements, script),
        audit_tables.a6(tables, statements),
        audit_tables.a7(tables, statements),
        audit_tables.a8(tables, statements),
        audit_tables.a9(tables, statements),
        audit_setup.a10(statements),
        audit_setup.a11(statements),
        audit_setup.a12(statements),
        audit_setup.a14(tables, statements),
        audit_tables.a15(tables),
        audit_setup.a16(tables, statements),
        audit_setup.a17(statements, script),
    ]
