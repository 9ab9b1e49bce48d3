"""What is made from the typed model of a study, for people and for editors.

`docs/methods.md` has the methods with their axes, `docs/settings.md` the keys of a configuration,
and `config/schema.json` is its JSON schema.
"""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.axes import Axis
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
    "rounds": "an update every round",
    "local": "an update or message every round, after local steps",
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
        f"Most methods have {_listed(COMMON)}; the table below names those without. Others:\n",
        *map(_axes_of, RECORDS),
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
    sends = SENDS[record.sends]
    return _code(record.name), label, paper, record.reads, sends, kinds, _listed(noise)


def _axis(axis: Axis) -> tuple[str, ...]:
    readers = knowing(axis.name)
    lacking = [record.name for record in RECORDS if record.name not in readers]
    methods = f"all but {_listed(lacking)}" if axis.name in COMMON else _listed(readers)
    methods = methods if lacking else "all"
    return _code(axis.name), axis.doc, _default(axis), methods


def _default(axis: Axis) -> str:
    """Return an axis's default as YAML writes it."""
    value = axis.default
    if value is None:
        return "none"
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


COMMON = [axis for axis in AXES if axis != "method" and len(knowing(axis)) > 0.75 * len(RECORDS)]
"""Axes of most methods."""


def _axes_of(record: MethodRecord) -> str:
    """Return the line of the axes that a method has beside the common ones."""
    further = [axis for axis in AXES if axis not in (*COMMON, "method") and record.knows(axis)]
    return f"- {_code(record.name)}: {_listed(further) or 'no further axis'}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`"


SETTINGS = """\
# The keys of a configuration

For those who write a study. A configuration lists what differs from the defaults; a key that is \
not here is refused. Each table is a block: the keys at one place of the configuration, where \
`{name}` is a name of your choice. The axes of a grid are on a page of [methods](methods.md#axes). \
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


PLURAL = re.compile("(?<=^integer)|(?<=^number)|(?<=^string)")
"""Where a kind of values takes the ending of several."""


def schema_text() -> str:
    """Return the JSON schema of a configuration, a block on each line."""
    schema = Configuration.model_json_schema()
    blocks = schema.pop("$defs")
    lines = [f"{json.dumps(name)}: {json.dumps(block)}" for name, block in blocks.items()]
    joined = ",\n".join(lines)
    return f'{json.dumps(schema)[:-1]}, "$defs": {{\n{joined}\n}}}}\n'


def settings_page() -> str:
    """Return the page of all keys of a configuration: Markdown, with a table in HTML per block.

    A block comes where a reader of a configuration meets it first. It is one line, in which a
    pipe table would need one for each key.
    """
    schema = Configuration.model_json_schema()
    blocks = {"Configuration": schema, **schema["$defs"]}
    places: dict[str, list[str]] = {}
    _place("Configuration", "", blocks, places)
    written = "\n".join(_block(name, blocks[name], places[name]) for name in places)
    return f"{SETTINGS}\n{written}\n\nNext: [methods](methods.md).\n"


def _place(name: str, at: str, blocks: Mapping[str, Any], places: dict[str, list[str]]) -> None:
    """Note where a block is in a configuration, and those in it, depth first."""
    known = name in places
    places.setdefault(name, []).append(at)
    for key, described in () if known else blocks[name]["properties"].items():
        text = json.dumps(described)
        below = ".{name}" if "Properties" in text else ""
        for inner in re.findall(r"#/\$defs/(\w+)", text):
            _place(inner, f"{at}.{key}{below}".lstrip("."), blocks, places)


def _block(name: str, block: Mapping[str, Any], places: list[str]) -> str:
    """Return a heading, what a block is, and a table of its keys, in a line of HTML."""
    kind = block["properties"].get("kind", {}).get("const", "")
    at = ", ".join(map(_tag, dict.fromkeys(places))) if places[0] else "Top level"
    head = f'<h3 id="{name.lower()}">{at}{f" of kind {_tag(kind)}" if kind else ""}</h3>'
    axes = AXES if name == "Grid" else ()
    rows = [("<b>key</b>", "<b>values</b>", "<b>default</b>", "<b>meaning</b>")]
    for key, described in block["properties"].items():
        default = described.get("default", {})
        written = "required" * (key in block.get("required", ()))
        written = written if isinstance(default, dict) else _tag(json.dumps(default))
        meaning = _html(described.get("description", ""))
        rows += [(_tag(key), _values(described), written, meaning)] * (key not in axes)
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
    further = " Further keys are the axes of methods." * bool(axes)
    about = f"<p><i>{name}</i>: {_html(block['description'])}{further}</p>"
    return f"{head}{about}<table>{body}</table>"


def _tag(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _html(text: str) -> str:
    return re.sub("`(.+?)`", r"<code>\1</code>", escape(text, quote=False))


def _values(described: Mapping[str, Any]) -> str:
    """Return in words the values that JSON schema describes, in HTML."""
    match described:
        case {"$ref": path}:
            name = path.rpartition("/")[2]
            return f'<a href="#{name.lower()}">{name}</a>'
        case {"anyOf": alternatives} | {"oneOf": alternatives}:
            return " or ".join(map(_values, alternatives))
        case {"enum": choices}:
            return ", ".join(_tag(str(choice)) for choice in choices)
        case {"const": value}:
            return _tag(str(value))
        case {"items": items}:
            return f"list of {PLURAL.sub('s', _values(items), count=1)}"
        case {"patternProperties": named}:
            return f"names, each with {_values(next(iter(named.values())))}"
        case {"additionalProperties": dict() as named}:
            return f"names, each with {_values(named)}"
    kind = described.get("type", "anything")
    bounds = {word: described.get(key, LARGEST) for key, word in BOUNDS.items()}
    given = [f"{word} {bound:,}" for word, bound in bounds.items() if bound != LARGEST]
    return " ".join([kind, " and ".join(given)]).strip()
