"""What is made from the typed model of a study, for people and for editors.

`docs/methods.md` has the methods with their axes, `docs/settings.md` the keys of a configuration,
and `config/schema.json` is its JSON schema.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.axis import Axis
from fbftl.study.methods import RECORDS, knowing
from fbftl.study.model.block import LARGEST
from fbftl.study.model.configuration import Configuration
from fbftl.study.record import MethodRecord
from fbftl.study.settings import AXES

HEAD = """\
# Methods and their axes

For those who write a grid of an experiment. Use the names of methods and axes in this font; an \
axis that a method does not have is refused, with a list of the methods that have it. \
[Reading the results](reading-results.md#symbols) has the papers' symbols, and \
[extending](extending.md) says how to write another method. `scripts/tools/describe_settings.py` \
makes this page from the records in `scripts/fbftl/study/methods/` and the axes there and in \
`scripts/fbftl/study/axes.py`.
"""

SENDS = {
    "once": "once, before training",
    "rounds": "an update of each client every round",
    "local": "after local epochs or steps",
    "nothing": "nothing",
}
"""What a record says of messages, in words."""


def method_page() -> str:
    """Return the page in Markdown."""
    parts = [
        HEAD,
        "## Methods\n",
        table(
            ("method", "name", "paper", "trains on", "sends", "tasks", "noise"),
            map(_method, RECORDS),
        ),
        "## The axes of each method\n",
        *(f"- {_code(record.name)}: {_listed(_axes_of(record))}" for record in RECORDS),
        "",
        "## Axes\n",
        table(("axis", "meaning", "default", "methods"), map(_axis, AXES.values())),
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
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (\S+) \| [^|]+\|$", page.partition("## Axes")[2], re.M)
    written = {name: default for name, default in rows if name in AXES}
    for name, default in written.items():
        if default != _default(AXES[name]):
            raise UserError(
                f"docs/methods.md: the axis '{name}' has the default {default}, and its "
                f"description {_default(AXES[name])}; leave it as it was, a default never changes"
            )
    if list(written) != [name for name in AXES if name in written]:
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


def _method(record: MethodRecord) -> tuple[str, ...]:
    noise = [name for name in record.mechanisms if name != "none"]
    kinds, paper = ", ".join(record.kinds), f"[{record.paper}](papers/{record.paper}.md)"
    label = re.sub(r"_(\w+)$", r"<sub>\1</sub>", record.label)
    return (
        _code(record.name),
        label,
        paper,
        record.reads,
        SENDS[record.sends],
        kinds,
        _listed(noise),
    )


def _axis(axis: Axis) -> tuple[str, ...]:
    readers = knowing(axis.name)
    methods = "all" if len(readers) == len(RECORDS) else _listed(readers)
    return _code(axis.name), axis.doc, _default(axis), methods


def _default(axis: Axis) -> str:
    """Return an axis's default as YAML writes it."""
    value = axis.default
    if value is None:
        return "none"
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


def _axes_of(record: MethodRecord) -> list[str]:
    return [axis for axis in AXES if axis != "method" and record.knows(axis)]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`"


SETTINGS = """\
# The keys of a configuration

For those who write a study. A configuration lists what differs from the defaults; a key that is \
not here is refused. Each block has its keys with their values, default and meaning; \
`config/schema.json` has the same for editors. `scripts/tools/describe_settings.py` makes this \
page from the typed model in `scripts/fbftl/study/model/`.
"""

BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
"""How the page writes the bounds of JSON schema."""


def schema_text() -> str:
    """Return the JSON schema of a configuration, a block on each line."""
    schema = Configuration.model_json_schema()
    blocks = schema.pop("$defs")
    lines = [f"{json.dumps(name)}: {json.dumps(block)}" for name, block in blocks.items()]
    joined = ",\n".join(lines)
    return f'{json.dumps(schema)[:-1]}, "$defs": {{\n{joined}\n}}}}\n'


def settings_page() -> str:
    """Return the page of all keys of a configuration in Markdown."""
    schema = Configuration.model_json_schema()
    blocks = {"Configuration": schema, **schema["$defs"]}
    rows = [(_code(name), "<br>".join(_keys(name, block))) for name, block in blocks.items()]
    return f"{SETTINGS}\n{table(('block', 'keys'), rows)}\nNext: [methods](methods.md).\n"


def _keys(name: str, block: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a block is, and each of its keys with values, default and meaning."""
    yield block["description"]
    axes = "Further keys are the axes of [methods](methods.md#axes)." if name == "Grid" else ""
    for key, described in block["properties"].items():
        if axes and key in AXES:
            continue
        default = described.get("default", {})
        written = "" if isinstance(default, dict) else f" = {_code(json.dumps(default))}"
        meaning = f": {described['description']}" if "description" in described else ""
        yield f"{_code(key)} ({_values(described)}){written}{meaning}"
    if axes:
        yield axes


def _values(described: Mapping[str, Any]) -> str:
    """Return in words the values that JSON schema describes."""
    match described:
        case {"$ref": name}:
            return _code(name.rpartition("/")[2])
        case {"anyOf": alternatives} | {"oneOf": alternatives}:
            return " or ".join(map(_values, alternatives))
        case {"enum": listed}:
            return _listed(map(str, listed))
        case {"const": value}:
            return _code(str(value))
        case {"items": items}:
            return f"list of {_values(items)}"
        case {"patternProperties": named}:
            return f"names, each with {_values(next(iter(named.values())))}"
        case {"additionalProperties": dict() as named}:
            return f"names, each with {_values(named)}"
    kind = described.get("type", "anything")
    bounds = {word: described.get(key, LARGEST) for key, word in BOUNDS.items()}
    given = [f"{word} {bound:,}" for word, bound in bounds.items() if bound != LARGEST]
    return " ".join([kind, " and ".join(given)]).strip()
