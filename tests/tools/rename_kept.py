"""Rename what `renamed.csv` lists in the results that the project keeps; no number changes.

    python tests/tools/rename_kept.py docs/results README.md docs/what-to-upload.md

Of `renamed.csv`, a line of kind `column` is the head of a column of a csv, one of kind `heading`
a heading of a table in Markdown, and one of kind `setting` a run's name, wherever it is a whole
cell of a csv, or a part of a number's name in `numbers.json` and in the pages that quote it. Of
kind `axis` are axes: keys of a grid and of a run's setting, and heads of columns in tidy tables
and wherever the new table has the new name. Of kind `key` are other keys of a configuration. Both
are in no kept result.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

RENAMED = Path(__file__).with_name("renamed.csv")


def read_renamed(path: Path = RENAMED) -> dict[str, dict[str, str]]:
    """Return the new name of every old one, by kind."""
    names: dict[str, dict[str, str]] = {"column": {}, "heading": {}, "setting": {}}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            names.setdefault(row["kind"], {})[row["old"]] = row["new"]
    return names


def renamed_csv(text: str, columns: Mapping[str, str], settings: Mapping[str, str]) -> str:
    """Return a csv with its heads and the settings in its cells renamed."""
    head, *rows = csv.reader(io.StringIO(text))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([columns.get(name, name) for name in head])
    writer.writerows([settings.get(cell, cell) for cell in row] for row in rows)
    return written.getvalue()


def renamed_markdown(text: str, headings: Mapping[str, str]) -> str:
    """Return a table with its headings renamed; what begins with no table stays as it is."""
    head, newline, body = text.partition("\n")
    if not (head.startswith("| ") and body.startswith("| ---")):
        return text
    cells = head.removeprefix("| ").removesuffix(" |").split(" | ")
    return f"| {' | '.join(headings.get(cell, cell) for cell in cells)} |{newline}{body}"


def renamed_number(name: str, settings: Mapping[str, str]) -> str:
    """Return a name such as `task/setting/uplink over setting` with its settings renamed."""
    parts = re.split("(/| over )", name)
    return "".join(settings.get(part, part) for part in parts)


def renamed_numbers(text: str, settings: Mapping[str, str]) -> str:
    """Return a JSON document of numbers under their new names, sorted by these."""
    numbers = {renamed_number(name, settings): value for name, value in json.loads(text).items()}
    return json.dumps(numbers, indent=1, sort_keys=True) + "\n"


def renamed_page(text: str, settings: Mapping[str, str]) -> str:
    """Return a page whose quotes of numbers, `<!--name:format-->`, have the new names."""

    def quoted(found: re.Match[str]) -> str:
        name, colon, form = found[1].rpartition(":")
        return f"<!--{renamed_number(name, settings)}{colon}{form}-->"

    return re.sub("<!--(.+?)-->", quoted, text)


def main(*places: str) -> None:
    """Rename in every csv, table in Markdown, page and number of folders or files."""
    names = read_renamed()
    settings = names["setting"]
    for path in sorted(path for place in places for path in [Path(place), *Path(place).rglob("*")]):
        if path.suffix not in (".csv", ".md", ".json") or path.name == "made.json":
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".csv":
            new = renamed_csv(text, names["column"], settings)
        elif path.suffix == ".json":
            new = renamed_numbers(text, settings)
        else:
            new = renamed_page(renamed_markdown(text, names["heading"]), settings)
        if new != text:
            path.write_text(new, encoding="utf-8", newline="")


if __name__ == "__main__":
    main(*sys.argv[1:])
