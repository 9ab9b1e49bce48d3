"""What features tell of samples, from what a task's finished attacks found."""

import csv
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from fbftl.ground.files import parsing, sha256
from fbftl.ground.staleness import read_record

BEST = {"inversion": "PSNR (dB)", "membership": "AUC"}
"""Measure by which the best attack of a kind is told, the larger the more leaks."""

FOUND_BY = {"inversion": "features", "membership": "membership"}
"""Name of the job that plays the attacks of a kind."""

NOT_MEASURED = "not measured"


def leaks_of(results: Path, epsilon: float | None = None) -> dict[str, Any]:
    """Return the best attack of each kind on uploaded features, and what it got.

    Args:
        results: folder of the task's results; attacks and guarantees need not be there.
        epsilon: of the noise that the features are published under, None without noise. What
            another epsilon leaks says nothing of it.

    Returns:
        By kind of attack the adversary, measure, value, what blind guessing gets and, under noise,
        the clip norm that was attacked; None where that was not measured on these features. Labels
        are published with the features, whatever attacks get.
    """
    clip_norm = None if epsilon is None else _clip_norm(results / "guarantees", epsilon)
    if epsilon is not None and clip_norm is None:
        return dict.fromkeys(BEST)
    return {
        attack: _best(_findings(results, FOUND_BY[attack]), attack, measure, epsilon, clip_norm)
        for attack, measure in BEST.items()
    }


def _findings(results: Path, name: str) -> list[dict[str, str]]:
    """Return what a job of attacks found, nothing if it attacked other features or is not there."""
    table, manifest = results / "attacks" / f"{name}.csv", results / "features.json"
    job_record = read_record(results / "records" / "attacks" / f"{name}.json")
    if job_record is None or not table.is_file() or not manifest.is_file():
        return []
    noted = {Path(path).name: digest for path, digest in job_record.inputs.items()}
    noted |= {Path(path).name: digest for path, digest in job_record.outputs.items()}
    if any(noted.get(path.name) != sha256(path) for path in (table, manifest)):
        return []
    return _rows(table, "findings of attacks")


def _rows(table: Path, kind: str) -> list[dict[str, str]]:
    with parsing(table, kind), open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _is_under(row: Mapping[str, str], epsilon: float | None) -> bool:
    """Return whether a row is of uploads under the Gaussian mechanism at this epsilon."""
    if epsilon is None:
        return row["mechanism"] == "none"
    return row["mechanism"] == "gaussian" and float(row["epsilon"] or 0) == epsilon


def _clip_norm(guarantees: Path, epsilon: float) -> float | None:
    """Return the clip norm of the uploads that were attacked, None where it is not one."""
    tables = [_rows(table, "table of guarantees") for table in sorted(guarantees.glob("*.csv"))]
    norms = {
        float(row["clip_norm"])
        for row in chain.from_iterable(tables)
        if row["method"] == "fbftl" and row["clip_norm"] and _is_under(row, epsilon)
    }
    return norms.pop() if len(norms) == 1 else None


def _best(
    rows: list[dict[str, str]],
    attack: str,
    measure: str,
    epsilon: float | None,
    clip_norm: float | None,
) -> dict[str, Any] | None:
    alike = [
        row
        for row in rows
        if (row["attack"], row["method"], row["measure"]) == (attack, "fbftl", measure)
        and row["value"]
        and _is_under(row, epsilon)
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
        "clip_norm": clip_norm,
    }


def lines_on(leaks: Mapping[str, Any]) -> list[str]:
    """Return a line for each kind of attack, and one for labels."""
    lines = []
    for attack, found in leaks.items():
        if found is None:
            lines.append(f"{attack}: {NOT_MEASURED}")
            continue
        blind = "" if found["blind"] is None else f" (blind guessing: {found['blind']:.3g})"
        clip_norm = found.get("clip_norm")
        clipped = "" if clip_norm is None else f", measured on rows clipped to {clip_norm:.4g}"
        lines.append(
            f"{attack}: {found['measure']} {found['value']:.3g}{blind}, by {found['adversary']}"
            f"{clipped}"
        )
    return [*lines, "labels: published with the features, so nothing has to be recovered"]
