"""Say how many seeds a system's full study needs, by its finished pilot.

    ./run power SYSTEM

Prints what every comparison of a sentence needs to be decided, and the line that gives the number
and its reason in the header of the full study.
"""

import sys
from math import isnan, log
from pathlib import Path
from typing import Any

from fbftl.findings.power import Pilot, report, spread_within
from fbftl.findings.sentence_rule import Form, stated
from fbftl.ground.csv_tables import read_table
from fbftl.ground.errors import UserError
from fbftl.study.full_studies import PAPER
from fbftl.study.schema import suggestion
from fbftl.study.sizes import Size

TABLE, REGISTRY = "results/papers/{}/tables/parts.csv", "published/{}/sentences.csv"
"""A paper's table of the comparisons behind its sentences, and the sentences with their systems."""

RATIO = "times"
"""Unit of a comparison that is judged by logarithms."""


def main(system: str, root: Path = Path()) -> list[str]:
    """Return the lines that are printed.

    Args:
        system: its name.
        root: the project's folder.

    Raises:
        UserError: if the system is unknown, or no pilot of it is finished.
    """
    if system not in PAPER:
        raise UserError(f"'{system}' is no system{suggestion(system, PAPER)}")
    rows = compared(root, system)
    of_pilot = [row for row in rows if row["size"] == Size.PILOT and row["seeds"] > 1]
    if not of_pilot:
        raise UserError(
            f"no pilot of {system} is finished here; run ./run papers --pilot {system} first"
        )
    *lines, header = report([pilot(row) for row in of_pilot])
    names = [{row["sentence"]: None for row in some} for some in (rows, of_pilot)]
    if without := [name for name in names[0] if name not in names[1]]:
        lines.append(f"no pilot of: {', '.join(without)}")
    return [*lines, header]


def compared(root: Path, system: str) -> list[dict[str, Any]]:
    """Return the comparisons behind a system's sentences, with the seeds that both sides have."""
    table = root / TABLE.format(PAPER[system])
    if not table.is_file():
        return []
    registry, rows = read_table(root / REGISTRY.format(PAPER[system])), read_table(table)
    sentences = registry.loc[registry["system"] == system, "id"]
    rows["seeds"] = rows[["first_seeds", "second_seeds"]].min(axis=1).where(rows["lower"].notna())
    return rows[rows["sentence"].isin(sentences)].to_dict("records")


def pilot(row: dict[str, Any]) -> Pilot:
    """Return what a pilot found of a comparison, in the unit in which it is judged."""
    ratio, seeds, tested = row["unit"] == RATIO, int(row["seeds"]), int(row["tested"])
    lower, upper = (log(row[end]) if ratio else row[end] for end in ("lower", "upper"))
    margin, size = (
        None if isnan(row[key]) else float(row[key]) for key in ("margin", "printed_size")
    )
    beside = None if ratio else row["first_mean"]
    half = stated(Form(row["form"]), margin, size, row["unit"], beside).half
    names = [row[key] for key in ("sentence", "part", "task") if isinstance(row[key], str)]
    spread = spread_within(lower, upper, seeds, tested)
    return Pilot(", ".join(names), half, spread, seeds, tested)


if __name__ == "__main__":
    try:
        print(
            *main(*sys.argv[1:2]) if len(sys.argv) == 2 else ["usage: ./run power SYSTEM"], sep="\n"
        )
    except UserError as error:
        sys.exit(str(error))
