"""Say where the results of two finished folders part first, and why.

    ./run compare A B

Of a training job that departs, the first point of its curves is told at which the models differ.
"""

import sys
from pathlib import Path

from fbftl.findings.made import results
from fbftl.ground.departures import departing, first_departures, first_point
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json

SHOWN = 10
"""Departures that are listed at most."""


def main(one: str, other: str) -> int:
    """Print where two folders part; return 0 if nowhere, else 1.

    Raises:
        UserError: if one of them holds no finished study.
    """
    first, second = results(Path(one)), results(Path(other))
    departed = departing(first, second)
    if not departed:
        print(f"{len(first):,} results, all equal")
        return 0
    print(f"{len(departed):,} of {len(first.keys() | second.keys()):,} results differ; first")
    begin = first_departures(first, second)
    for departure in begin[:SHOWN]:
        at = models_part(Path(one, departure.path), Path(other, departure.path))
        print(f"  {departure.path} (rule {departure.rule}): {departure.reason}{at}")
    if len(begin) > SHOWN:
        print(f"  and {len(begin) - SHOWN:,} more, which rest on none of these")
    return 1


def models_part(one: Path, other: Path) -> str:
    """Return where the models of two runs part, as a sentence ends; nothing where none is told."""
    metas = [run.with_suffix(".meta.json") for run in (one, other)]
    if not all(meta.is_file() for meta in metas):
        return ""
    departed = first_point(*(read_json(meta, "notes on a run").get("models", {}) for meta in metas))
    return "; models part at seed {}, point {}".format(*departed) if departed else ""


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]) if len(sys.argv) == 3 else "usage: ./run compare A B")
    except UserError as error:
        sys.exit(str(error))
