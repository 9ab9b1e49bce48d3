"""What is made from the typed model of a study, for people and for editors.

`docs/methods.md` has the methods with their axes; `config/schema.json` is the JSON schema of a
configuration, from which `scripts/tools/describe_keys.py` writes a page of the site.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.axes import Axis
from fbftl.study.methods import RECORDS, knowing
from fbftl.study.model.configuration import Configuration
from fbftl.study.record import MethodRecord
from fbftl.study.settings import AXES

HEAD = """\
# Methods and their axes

For those who write a grid of an experiment, as in `- {method: [fbftl, ftl_c], plr: [0.0, 0.5]}`.

A grid has a list of values for each axis; the settings are their products. Choose a \
[method](#methods), look up [its axes](#the-axes-of-each-method), then [what they mean](#axes). \
[Symbols](reading-results.md#symbols) are those of the papers. An axis that a method does not have \
is refused, with the methods that have it. [Extending](extending.md) says how to add a method; \
`scripts/tools/describe_settings.py` then makes this page again.
"""

SENDS = {
    "once": "once, before training",
    "rounds": "every round, a gradient",
    "local": "every round",
    "nothing": "nothing",
}
"""What a record says of messages, in words."""


ORDERED = "In the name of a run, axes that are not at their defaults are in this order: "
"""What the page says before the names of all axes."""


def method_page() -> str:
    """Return the page in Markdown."""
    purposes = _purposes()
    parts = [
        HEAD,
        "## Methods\n",
        table(
            ("method", "name", "what it does", "paper", "trains on", "sends", "tasks", "noise"),
            (_method(record, purposes[record.name]) for record in RECORDS),
        ),
        "## The axes of each method\n",
        f"Most methods have the axes {_listed(COMMON)}. Each method also has:\n",
        *map(_axes_of, RECORDS),
        "",
        "## Axes\n",
        table(("axis", "meaning", "default"), (_axis(AXES[name]) for name in sorted(AXES))),
        f"{ORDERED}{_listed(AXES)}.\n",
        "Next: [a study of your own](your-own.md).\n",
    ]
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
    written = {name: default for name, default in rows if name in AXES}
    for name, default in written.items():
        if default != _default(AXES[name]):
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


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a pipe table; a bar inside a cell is escaped."""
    heads = list(heads)
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


def _method(record: MethodRecord, purpose: str) -> tuple[str, ...]:
    noise = [name for name in record.mechanisms if name != "none"]
    kinds, paper = ", ".join(record.kinds), f"[{record.paper}](papers/{record.paper}.md)"
    label = re.sub(r"_(\w+)$", r"<sub>\1</sub>", record.label)
    sends = SENDS[record.sends]
    reads = record.reads.replace("clients and source", "samples")
    return _code(record.name), label, purpose, paper, reads, sends, kinds, _listed(noise)


def _axis(axis: Axis) -> tuple[str, ...]:
    return _code(axis.name), axis.doc, _default(axis)


def _default(axis: Axis) -> str:
    """Return an axis's default as YAML writes it."""
    value = axis.default
    if value is None:
        return _code("null")
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


COMMON = [axis for axis in AXES if axis != "method" and len(knowing(axis)) > 0.75 * len(RECORDS)]
"""Axes of most methods."""


def _axes_of(record: MethodRecord) -> str:
    """Return the line of the axes that a method has, or lacks, beside the common ones."""
    further = [axis for axis in AXES if axis not in (*COMMON, "method") and record.knows(axis)]
    lacking = [axis for axis in COMMON if not record.knows(axis)]
    without = f"; without {_listed(lacking)}" if lacking else ""
    return f"- {_code(record.name)}: {_listed(further) or 'no further axis'}{without}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`"


def schema_text() -> str:
    """Return the JSON schema of a configuration, a block on each line."""
    schema = Configuration.model_json_schema()
    blocks = schema.pop("$defs")
    lines = [f"{json.dumps(name)}: {json.dumps(block)}" for name, block in blocks.items()]
    joined = ",\n".join(lines)
    return f'{json.dumps(schema)[:-1]}, "$defs": {{\n{joined}\n}}}}\n'
