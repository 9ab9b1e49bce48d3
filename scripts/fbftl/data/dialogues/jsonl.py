"""Dialogues with summaries and their files: JSON lines, or one array, as the SAMSum corpus has."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError


@dataclass(frozen=True)
class Record:
    """One dialogue.

    id: its name in the data set.
    dialogue: the turns, one per line, each ``Name: text``; may be empty.
    summary: the reference summary.
    """

    id: str
    dialogue: str
    summary: str


FIELDS = ("id", "dialogue", "summary")


def read_records(path: str | Path) -> list[Record]:
    """Read dialogues; an empty dialogue and any length or character are fine.

    A file that starts with ``[`` is read as one JSON array, any other as one object per line;
    blank lines are skipped. Line ends inside texts become ``\\n``. NUL characters are dropped,
    because HDF5 cannot hold them.

    Raises:
        UserError: naming file and line (or element), if the file is missing, not UTF-8 or not
            JSON, or if a record lacks a field, has one that is not text, has an empty summary, a
            lone surrogate, or an id seen before.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")  # keeps line ends as they are
    except FileNotFoundError:
        raise UserError(f"{path} is missing; put the dialogues there as JSON lines") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UserError(f"{path}, line {line}: not UTF-8; convert the file to UTF-8") from None
    rows = _array(path, text) if text.lstrip().startswith("[") else _lines(path, text)
    records = []
    positions: dict[str, str] = {}
    for position, row in rows:
        record = _record(position, row)
        if record.id in positions:
            raise UserError(
                f"{position}: id {record.id!r} occurs already in {positions[record.id]}"
            )
        positions[record.id] = position
        records.append(record)
    if not records:
        raise UserError(f"{path} holds no dialogues; put one JSON object on each line")
    return records


def _lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    # Only \n ends a record: JSON strings may hold U+2028 and others that splitlines() cuts at.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            position = f"{path}, line {number}"
            yield position, _parse(position, line)


def _array(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(_parse(str(path), text), start=1):
        yield f"{path}, element {number}", row


def _parse(position: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deeply")
        raise UserError(f"{position}: not valid JSON ({reason}); correct or remove it") from None


def _record(position: str, row: Any) -> Record:
    if not isinstance(row, dict):
        raise UserError(f"{position}: not a JSON object with the fields {', '.join(FIELDS)}")
    texts = {}
    for field in FIELDS:
        if field not in row:
            raise UserError(f"{position}: field {field!r} is missing; add it or remove the record")
        value = row[field]
        if field == "id" and type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            raise UserError(f"{position}: field {field!r} is not text; write it in quotes")
        texts[field] = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise UserError(f"{position}: field {field!r} has half a surrogate pair; remove it")
    if not texts["id"]:
        raise UserError(f"{position}: field 'id' is empty; give the dialogue a name")
    if not texts["summary"]:
        raise UserError(f"{position}: field 'summary' is empty; ROUGE needs a reference")
    return Record(**texts)
