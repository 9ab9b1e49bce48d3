"""Readings of a published table: one way to compute one of its cells by formula.

A cell has one reading *as printed*, by the equation in the text; where the equation is at fault one
that is *corrected*; and where neither gives the printed number but another count does, one *as
tabulated*. The audit rows in `docs/papers/fbftl.md` argue each difference.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.cost.payload import uplink_bits
from fbftl.findings.columns import VERDICT
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import SCALES, at_printed_precision, formula_verdict
from fbftl.findings.shown import ShownMethod
from fbftl.findings.tables import Column
from fbftl.ground.floats import FLOAT_BITS

AS_PRINTED = "as printed"
CORRECTED = "corrected"
AS_TABULATED = "as tabulated"
TOKEN_IDS = "token ids"

CUT_SHORT = "_low"
"""Ends the name of a run that stops where FTL_c's accuracy is reached, as Table III writes it."""

EQUATIONS = {
    "fl": ("Eq. (2)", "Eq. (10)", "Eq. (14)"),
    "sfl": ("as Eq. (2)", "as Eq. (10)", "as Eq. (14)"),
    "ftl_f": ("Eq. (3)", "Eq. (11)", "Eq. (15)"),
    "ftl_c": ("Eq. (4)", "Eq. (12)", "Eq. (16)"),
    "fbftl": ("Eq. (6)", "Eq. (13)", "Eq. (17)"),
}
"""Equations of uplink, downlink and client computation; the text has none of SFL's own."""


@dataclass(frozen=True)
class Reading:
    """One way to compute one cell of a table.

    method: column of the table; `fl_low` and `ftl_f_low` are runs of `fl` and `ftl_f` cut short.
    basis: the equation, or the count in words.
    value: exact, in batches, numbers, bits or multiplications.
    audit: audit row that argues a difference.
    """

    method: str
    quantity: str
    reading: str
    basis: str
    value: int
    audit: str = ""


def uploads(
    method: str, reading: str, basis: str, batches: int, numbers: int, audit: str = ""
) -> Iterator[Reading]:
    """Yield the three cells that follow from the numbers in a batch."""
    per_batch = FLOAT_BITS * numbers
    total = uplink_bits(batches, numbers)
    yield Reading(method, "numbers_per_batch", reading, basis, numbers, audit)
    yield Reading(method, "uplink_per_batch", reading, f"d × ({basis})", per_batch, audit)
    equation = EQUATIONS[method.removesuffix(CUT_SHORT)][0]
    yield Reading(method, "total_uplink", reading, f"{equation}: {basis}", total, audit)


def against_published(
    published: pd.DataFrame, readings: Sequence[Reading], keys: dict[str, object]
) -> pd.DataFrame:
    """Return a row per reading beside the published cell; cells without a formula are not run.

    Args:
        published: columns `method`, `quantity`, `printed`, `unit` and those of `keys`.
        readings: readings of the cells under `keys`.
        keys: further columns that tell the cells apart, e.g. ``{"trained_encoders": 8}``.
    """
    cells = published
    for column, value in keys.items():
        cells = cells[cells[column] == value]
    rows: list[dict[str, object]] = []
    for cell in cells.itertuples():
        matching = [r for r in readings if (r.method, r.quantity) == (cell.method, cell.quantity)]
        shared = {
            "quantity": cell.quantity,
            "method": cell.method,
            **keys,
            "published": cell.printed,
            "unit": cell.unit,
        }
        beside = [_beside_printed(reading, cell.printed, cell.unit) for reading in matching]
        rows += [shared | of for of in beside or [{"verdict": str(Verdict.NOT_RUN)}]]
    frame = pd.DataFrame(rows, dtype=object)
    columns = ["formula", "in_unit", "exact", "reading", "basis", "verdict", "note", "audit"]
    return frame.reindex(columns=[*("quantity", "method"), *keys, "published", "unit", *columns])


def _beside_printed(reading: Reading, printed: str, unit: str) -> dict[str, object]:
    """Return the columns of one reading."""
    rounded = at_printed_precision(reading.value, printed, unit)
    verdict = formula_verdict(reading.value, printed, unit)
    cut = verdict is Verdict.REPRODUCED and Decimal(rounded) != Decimal(printed)
    if reading.reading == TOKEN_IDS:
        verdict, cut = Verdict.NOT_COMPARABLE, False
    return {
        "formula": rounded,
        "in_unit": float(Fraction(reading.value, SCALES[unit])) if unit in SCALES else None,
        "exact": reading.value,
        "reading": reading.reading,
        "basis": reading.basis,
        "verdict": str(verdict),
        "note": "printed cut, not rounded" if cut else "",
        "audit": reading.audit,
    }


def columns(methods: Iterable[ShownMethod], *keys: Column) -> tuple[Column, ...]:
    """Return how Markdown and LaTeX print these rows; `exact` is in bits where the unit is of bits.

    Args:
        methods: those of the table's columns.
        keys: further columns that tell the cells apart.
    """
    labels = {method.name: method.label for method in methods}
    labels |= {f"{name}{CUT_SHORT}": f"{label}{CUT_SHORT}" for name, label in labels.items()}
    return (
        Column("quantity", "Quantity", format=lambda name: name.replace("_", " "), page=True),
        Column("method", "Method", format=labels.__getitem__, page=True),
        *keys,
        Column("published", "Published", page=True),
        Column("formula", "Formula", page=True),
        Column("unit", "Unit", page=True),
        Column("in_unit", "More digits", format="{:.4g}"),
        Column("exact", "Exact", format="{:,}"),
        Column("reading", "Reading", page=True),
        Column("basis", "Basis", width="5cm"),
        VERDICT,
        Column("note", "Note", page=True),
        Column("audit", "Audit"),
    )
