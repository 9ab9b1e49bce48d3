"""Collect what deployed runs counted into one table, as CSV and as Markdown.

    PYTHONPATH=scripts:deploy python -m fbftl_deploy.collect FOLDER RESULT ...

RESULT is a file that ./run deploy wrote; FOLDER is where `wire.csv` and `wire.md` go. For
maintainers: docs/results/deployment is made so.
"""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fbftl.ground.files import read_json, write_text

from fbftl_deploy.accounts import PARTS

COLUMNS = (
    "setting", "clients", "from", "tls", "seconds", "models equal", "largest difference",
    "direction", "ledger", *PARTS, "seen", "flower", "idle",
)  # fmt: skip
"""Bytes of all clients, but for the first columns; `idle` is what nodes without work exchange in
as many seconds. Models of plain FTL_c are equal `by update`: to what the study's engine trains when
it adds the clients' updates; the largest difference of a weight is that to the study's one pass."""

FLOWER = {"up": "inbound-bytes", "down": "outbound-bytes"}


def rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one result, a direction each."""
    study = document["study"]
    equal, difference = "", ""
    if study is not None:
        equal = "yes" if study["models_equal"] else "no"
        if (by_update := study["by_update"]) is not None:
            equal = "by update" if by_update["models_equal"] else "no"
            difference = f"{by_update['largest_difference']:.1e}"
    common = {
        "setting": document["setting"],
        "clients": document["clients"],
        "from": document["from"],
        "tls": "yes" if document["tls"] else "no",
        "seconds": round(document["seconds"]),
        "models equal": equal,
        "largest difference": difference,
    }
    return [
        common
        | {"direction": direction, **parts}
        | {"flower": document["flower"].get(FLOWER[direction], "")}
        | {"ledger": sum(document["ledger_bytes"].values()) if direction == "up" else ""}
        | {"idle": document["idle"][direction] if "idle" in document else ""}
        for direction, parts in document["wire"]["total"].items()
    ]


def main(folder: Path, results: Sequence[Path]) -> None:
    """Write the table of some results."""
    table = [row for path in results for row in rows(read_json(path, "result of a deployed run"))]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    write_text(folder / "wire.csv", text.getvalue())
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(_cell(row.get(name, '')) for name in COLUMNS)} |" for row in table]
    write_text(folder / "wire.md", "\n".join(lines) + "\n")


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(word) for word in sys.argv[2:]])
