"""What is made from the typed model of a study, for people and for editors.

`docs/methods.md` has the methods with their axes; `config/schema.json` is the JSON schema of a
configuration, from which `scripts/tools/describe_keys.py` writes a page of the site.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.axes import Axis
from fbftl.study.methods import RECORDS, knowing
from fbftl.study.model.configuration import Configuration
from fbftl.study.record import MethodRecord
from fbftl.study.settings import AXES

SENDS = {
    "once": "Once, before training",
    "rounds": "Every round, gradients",
    "local": "Every round, other messages",
    "nothing": "Nothing",
}
"""When clients send what, by a record's word for it: headings of the page."""

ORDERED = "In the name of a run, axes that are not at their defaults are in this order: "
"""What the page says, unseen, before the names of all axes."""

SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
SIGNS |= {"ge": "≥", "gt": ">", "le": "≤"}
"""Bounds of a type in the words of its schema."""

OF_METHODS = ("method", "name", "what it does", "trains on", "noise", "paper")
OF_AXES = ("axis", "meaning", "values", "methods", "default")

MANY = 20
SHARED_BY = {
    "Of most methods": (MANY, len(RECORDS)),
    "Of several methods": (2, MANY - 1),
    "Of one method": (1, 1),
}
"""Headings of axes, with the least and the most methods that have them."""


def method_page(written: str) -> str:
    """Return the page in Markdown.

    Args:
        written: as it was; what is above the methods stays.
    """
    purposes = _purposes()
    parts = [written.partition("## Methods")[0] + "## Methods\n"]
    for sends, heading in SENDS.items():
        rows = [_method(each, purposes[each.name]) for each in RECORDS if each.sends == sends]
        parts += [f"### {heading}\n", table(OF_METHODS, rows)]
    parts.append("## Axes\n")
    by_method = sorted(filter(knowing, AXES), key=lambda had: methods.record(knowing(had)[0]).place)
    for heading, (least, most) in SHARED_BY.items():
        names = [name for name in by_method if least <= len(knowing(name)) <= most]
        order = (0, 3, 1, 2, 4) if most == 1 else range(len(OF_AXES))
        titles, *lines = ([line[place] for place in order] for line in (OF_AXES, *_axes(names)))
        parts += [f"### {heading}\n", table(titles, lines)]
    parts.append(
        f"<!-- {ORDERED}{_listed(AXES)}. -->\n\nNext: [a study of your own](your-own.md).\n"
    )
    return "\n".join(parts)


def require_lasting(page: str) -> None:
    """Refuse to write a page anew whose axes have other defaults, or another order, by now.

    Names of runs rest on both, and jobs are given defaults untracked.

    Args:
        page: as it was last written.

    Raises:
        UserError: naming axis and default.
    """
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (\S+) \|$", page.partition("## Axes")[2], re.M)
    for name, default in rows:
        if name in AXES and default != _default(AXES[name]):
            raise UserError(
                f"docs/methods.md: the axis '{name}' has the default {default}, and its "
                f"description {_default(AXES[name])}; leave it as it was, a default never changes"
            )
    before = re.findall(r"`(\w+)`", page.partition(ORDERED)[2].partition("\n")[0])
    if [name for name in before if name in AXES] != [name for name in AXES if name in before]:
        raise UserError(
            "docs/methods.md: the axes are in another order than before; leave ORDER in "
            "study/settings.py as it was, and put a new axis after the others of its method"
        )


def table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a pipe table; a bar inside a cell is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    cells = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _purposes() -> dict[str, str]:
    """Return what each method does: the text under its record, or the first line of its module."""
    purposes = {}
    for path in Path(*methods.__path__).glob("*.py"):
        of_module, *records = path.read_text(encoding="utf-8").split(" = MethodRecord(")
        for record in records:
            text = record.partition("\n)")[2].partition('"""')[2] or of_module.strip('"')
            purposes[record.split('"')[1]] = text.splitlines()[0].partition(": ")[2].rstrip('"')
    return purposes


def _method(record: MethodRecord, text: str) -> tuple[str, ...]:
    noise = [name for name in record.mechanisms if name != "none"]
    label = re.sub(r"_(\w+)$", r"<sub>\1</sub>", record.label)
    reads = record.reads.replace("clients and source", "samples")
    paper = f"[{record.paper}](papers/{record.paper}.md)"
    return _code(record.name), label, text[:1].upper() + text[1:], reads, _listed(noise), paper


def _axes(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of axes."""
    noisy = {record.name for record in RECORDS if set(record.mechanisms) - {"none"}}
    for name in names:
        known, axis = knowing(name), AXES[name]
        lacking = _listed(record.name for record in RECORDS if record.name not in known)
        having = _listed(known) if len(known) < MANY else f"all but {lacking}" if lacking else "all"
        having = "all with noise" if {*known} == noisy else having
        yield _code(name), axis.doc, _values(axis), having, _default(axis)


def _values(axis: Axis) -> str:
    """Return what values an axis may have: those listed, or bounds below a thousand."""
    names = [*map(str, axis.listed)] or ["true", "false"] * (axis.type is bool)
    if axis.name == "bits":
        names[2:-2] = ["..."]
    if names or axis.type is str:
        return _listed(names) or "name"
    schema = TypeAdapter(axis.annotation).json_schema()
    bounds = schema.get("anyOf", [schema])[0]
    met = [f"{sign} {bounds[key]}" for key, sign in SIGNS.items() if bounds.get(key, 1000) < 1000]
    return "integer " * (axis.type is int) + ", ".join(met)


def _default(axis: Axis) -> str:
    """Return an axis's default as YAML writes it."""
    return _code(json.dumps(axis.default).strip('"'))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`"


def schema_text() -> str:
    """Return the JSON schema of a configuration, a block on each line."""
    schema = Configuration.model_json_schema()
    blocks = schema.pop("$defs")
    joined = ",\n".join(f"{json.dumps(name)}: {json.dumps(of)}" for name, of in blocks.items())
    return f'{json.dumps(schema)[:-1]}, "$defs": {{\n{joined}\n}}}}\n'
