"""Say where the results of two finished folders part first, and why.

    ./run compare A B

Of a training job that departs, the first point of its curves is told at which the models differ.
"""

import sys
from pathlib import Path

from fbftl.findings.origins import computed_otherwise, results
from fbftl.ground.departures import departing, first_departures, first_point
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json

SHOWN = 10
"""Departures that are listed at most."""


def main(folder: str, other_folder: str) -> int:
    """Print where two folders part; return 0 if nowhere, else 1.

    Raises:
        UserError: if one of them holds no finished study.
    """
    first, second = results(Path(folder)), results(Path(other_folder))
    departed = departing(first, second)
    if not departed:
        print(f"{len(first):,} results, all equal")
        return 0
    print(f"{len(departed):,} of {len(first.keys() | second.keys()):,} results differ; first")
    earliest = first_departures(first, second)
    for departure in earliest[:SHOWN]:
        at = models_part(Path(folder, departure.path), Path(other_folder, departure.path))
        print(f"  {departure.path} (rule {departure.rule}): {departure.reason}{at}")
    if len(earliest) > SHOWN:
        print(f"  and {len(earliest) - SHOWN:,} more, which rest on none of these")
    if otherwise := computed_otherwise(Path(folder, "results"), Path(other_folder, "results")):
        print(f"  {otherwise}")
    return 1


def models_part(first: Path, second: Path) -> str:
    """Return where two runs' models part, as a sentence's end; empty if none are on record."""
    metas = [run.with_suffix(".meta.json") for run in (first, second)]
    if not all(meta.is_file() for meta in metas):
        return ""
    departed = first_point(*(read_json(meta, "notes on a run").get("models", {}) for meta in metas))
    return "; models part at seed {}, point {}".format(*departed) if departed else ""


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]) if len(sys.argv) == 3 else "usage: ./run compare A B")
    except UserError as error:
        sys.exit(str(error))
