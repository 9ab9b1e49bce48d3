"""Compare the results of two finished folders where names of settings have changed in between.

    python tests/tools/compare_renamed.py BEFORE AFTER [RENAMED]

RENAMED is a table of old and new names, `renamed.csv` beside this file unless another is named; of
its kinds count `setting`, `axis`, `column`, `label`, of a method, and `kept`: a column, as
TABLE/COLUMN, that has the old name of an axis and is another thing. An axis of one method, as
METHOD.AXIS, goes before one of all. Every csv, run file and ledger
of the results in BEFORE is read under its new names and compared with its counterpart in AFTER.
Rows may be in another order, and columns too; everything else has to be equal, numbers as they are
written.

A setting's new name may begin with another method. Where a row names its setting, its method
follows from that; where it does not, either of the two methods, or of their labels, is taken for
the same.
"""

import csv
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

RENAMED = Path(__file__).with_name("renamed.csv")

SHOWN = 20
"""Differing files that are listed at most."""


@dataclass(frozen=True)
class Renaming:
    """How names are read.

    settings: new names of settings by old ones.
    columns: new names of axes and columns by old ones, of an axis of one method behind its name.
    kept: columns of tables that keep what is an axis' old name elsewhere.
    methods: methods that settings had, by the one that they have now, where that is another; and
        their labels.
    """

    settings: Mapping[str, str]
    columns: Mapping[str, str]
    kept: frozenset[str]
    methods: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> "Renaming":
        """Read a table with the columns kind, old and new."""
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        settings = {row["old"]: row["new"] for row in rows if row["kind"] == "setting"}
        columns = {row["old"]: row["new"] for row in rows if row["kind"] in ("axis", "column")}
        kept = frozenset(row["old"] for row in rows if row["kind"] == "kept")
        methods = {method_of(new): method_of(old) for old, new in settings.items()}
        methods |= {row["new"]: row["old"] for row in rows if row["kind"] == "label"}
        differing = {new: old for new, old in methods.items() if new != old}
        return cls(settings, columns, kept, differing)

    @property
    def done(self) -> "Renaming":
        """How names are read where they are new already: an old one is no new one."""
        return Renaming({}, {}, frozenset(), self.methods)

    def file(self, path: Path) -> Path:
        """Return where a file lies under the new names: run files and ledgers are named after
        settings.
        """
        if path.suffix == ".csv":
            return path
        setting = path.name.removesuffix(path.suffix)
        return path.with_name(self.settings.get(setting, setting) + path.suffix)

    def column(self, name: str, method: str) -> str:
        """Return the new name of a column or an axis, of runs of a method."""
        return self.columns.get(f"{method}.{name}", self.columns.get(name, name))

    def row(self, row: Mapping[str, str], table: str) -> dict[str, str]:
        """Return the cells of a table's row by column, under the new names."""
        method = row.get("method", "")
        renamed = {
            column
            if f"{table}/{column}" in self.kept
            else self.column(column, method): self.settings.get(cell, cell)
            for column, cell in row.items()
        }
        if "setting" not in row:
            shown = {key: row[key] for key in ("method", "label") if key in row}
            return renamed | {key: self.methods.get(cell, cell) for key, cell in shown.items()}
        if "method" in row and row["setting"] in self.settings:
            renamed["method"] = method_of(renamed["setting"])
        return renamed

    def document(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """Return a run file under the new names."""
        method = run["setting"]["method"]
        axes = {self.column(axis, method): value for axis, value in run["setting"].items()}
        if run["name"] not in self.settings:
            return {**run, "setting": axes}
        name = self.settings[run["name"]]
        return {**run, "name": name, "setting": axes | {"method": method_of(name)}}

    def ledger(self, path: Path) -> pa.Table:
        """Return a ledger, whose method follows from the setting that its file is named after."""
        ledger = pq.read_table(path)
        method = ledger["method"].cast(pa.string())
        setting = path.name.removesuffix(path.suffix)
        if setting in self.settings:
            method = pa.array([method_of(self.settings[setting])] * len(ledger), pa.string())
        return ledger.set_column(ledger.schema.get_field_index("method"), "method", method)

    def content(self, path: Path) -> Any:
        """Return what a file holds, the rows and columns of a table in one order."""
        match path.suffix:
            case ".csv":
                with path.open(encoding="utf-8", newline="") as file:
                    rows = [self.row(row, path.stem) for row in csv.DictReader(file)]
                return sorted(sorted(row.items()) for row in rows)
            case ".json":
                return self.document(json.loads(path.read_bytes()))
            case _:
                return self.ledger(path)


def method_of(setting: str) -> str:
    """Return the method of a setting by its name."""
    return setting.partition("+")[0]


def compared(folder: Path) -> set[Path]:
    """Return the tables, run files and ledgers of a folder of results, as paths below it."""
    runs = [*folder.glob("*/runs/*.json"), *folder.glob("*/runs/*.parquet")]
    runs = [path for path in runs if not path.name.endswith(".meta.json")]
    return {path.relative_to(folder) for path in (*folder.rglob("*.csv"), *runs)}


def compare(before: Path, after: Path, renaming: Renaming) -> tuple[list[Path], list[str]]:
    """Return the files that are equal, by their new paths, and a sentence for each that differs."""
    old = {renaming.file(path): path for path in compared(before)}
    new = compared(after)
    alike, differing = [], []
    for path in sorted(old.keys() | new):
        if path not in new or path not in old:
            differing.append(f"{path} is only {'before' if path in old else 'after'}")
        elif renaming.content(before / old[path]) == renaming.done.content(after / path):
            alike.append(path)
        else:
            differing.append(f"{path} differs")
    return alike, differing


def main(before: str, after: str, renamed: str = str(RENAMED)) -> int:
    """Print how many files are equal and which are not; return 0 if all are, else 1."""
    alike, differing = compare(Path(before), Path(after), Renaming.read(Path(renamed)))
    for suffix, called in ((".csv", "tables"), (".json", "run files"), (".parquet", "ledgers")):
        print(f"{sum(path.suffix == suffix for path in alike):,} {called} are equal")
    for sentence in differing[:SHOWN]:
        print(sentence)
    if len(differing) > SHOWN:
        print(f"and {len(differing) - SHOWN:,} more differ")
    return 1 if differing or not alike else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
