"""What features tell of samples, from a task's finished table of attacks."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.ground.files import parsing

BEST = {"inversion": "PSNR (dB)", "membership": "AUC"}
"""Measure by which the best attack of a kind is told, the larger the more leaks."""

NOT_MEASURED = "not measured"


def leaks_of(table: Path, epsilon: float | None = None) -> dict[str, Any]:
    """Return the best attack of each kind on uploaded features, and what it got.

    Args:
        table: a task's table of attacks, CSV; it need not be there.
        epsilon: of the noise that the features are published under, None without noise. What
            another epsilon leaks says nothing of it.

    Returns:
        By kind of attack the adversary, measure, value and what blind guessing gets; None where
        that was not measured. Labels are published with the features, whatever attacks get.
    """
    rows = _rows(table) if table.is_file() else []
    return {attack: _best(rows, attack, measure, epsilon) for attack, measure in BEST.items()}


def _rows(table: Path) -> list[dict[str, str]]:
    with parsing(table, "table of attacks"), open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _best(
    rows: list[dict[str, str]], attack: str, measure: str, epsilon: float | None
) -> dict[str, Any] | None:
    alike = [
        row
        for row in rows
        if (row["attack"], row["method"], row["measure"]) == (attack, "fbftl", measure)
        and row["value"]
        and (
            row["mechanism"] == "none"
            if epsilon is None
            else row["mechanism"] == "gaussian" and float(row["epsilon"] or 0) == epsilon
        )
    ]
    if not alike:
        return None
    best = max(alike, key=lambda row: float(row["value"]))
    blind = float(best["blind"]) if best.get("blind") else None
    return {
        "adversary": best["adversary"],
        "measure": measure,
        "value": float(best["value"]),
        "blind": blind,
    }


def lines_on(leaks: Mapping[str, Any]) -> list[str]:
    """Return a line for each kind of attack, and one for labels."""
    lines = []
    for attack, found in leaks.items():
        if found is None:
            lines.append(f"{attack}: {NOT_MEASURED}")
            continue
        blind = "" if found["blind"] is None else f" (blind guessing: {found['blind']:.3g})"
        lines.append(
            f"{attack}: {found['measure']} {found['value']:.3g}{blind}, by {found['adversary']}"
        )
    return [*lines, "labels: published with the features, so nothing has to be recovered"]
