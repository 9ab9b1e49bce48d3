"""Write `docs/keys.md`, every key of a configuration with its meaning, from the JSON schema.

`./run docs` runs it for the site; the page is not kept. The schema follows from the typed model in
`scripts/fbftl/study/model/`, whose docstrings have the meanings.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.ground.files import write_text

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "docs" / "keys.md"

SCHEMA = ROOT / "config" / "schema.json"

HEAD = """\
# Every key of a configuration

A block is the keys at one place of a configuration, where `{name}` is a name of your choice; \
[Settings](settings.md) tells what the blocks are for. A key that is not here is refused.
"""

TAIL = """\
Next: [methods and their axes](methods.md).
"""

BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
"""How the page writes the bounds of JSON schema."""

LARGEST = 2**63 - 1
"""The bound of every whole number, which needs no telling."""

PLURAL = re.compile("(?<=^integer)|(?<=^number)|(?<=^string)")
"""Where a kind of values takes the ending of several."""

Blocks = Mapping[str, Mapping[str, Any]]


def page(schema: Mapping[str, Any]) -> str:
    """Return the page, in Markdown: a heading and a table for each block.

    A block comes where a reader of a configuration meets it first.

    Args:
        schema: of a configuration, as `config/schema.json` has it.
    """
    blocks = {"Configuration": schema, **schema["$defs"]}
    places: dict[str, list[str]] = {}
    _place("Configuration", "", blocks, places)
    headings = {name: heading(name, blocks[name], at[0]) for name, at in places.items()}
    parts = [_block(blocks[name], at, headings, name) for name, at in places.items()]
    return "\n".join([HEAD, *parts, TAIL])


def heading(name: str, block: Mapping[str, Any], place: str) -> str:
    """Return the heading of a block: its name, its place, and its kind where several fit there."""
    kind = block["properties"].get("kind", {}).get("const", "")
    return f"{name}: {place or 'top level'}" + f" of kind {kind}" * bool(kind)


def anchor(text: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _place(name: str, at: str, blocks: Blocks, places: dict[str, list[str]]) -> None:
    """Note where a block is in a configuration, and those in it, depth first."""
    known = name in places
    places.setdefault(name, []).append(at)
    for key, described in () if known else blocks[name]["properties"].items():
        text = json.dumps(described)
        below = ".{name}" if "Properties" in text else ""
        for inner in re.findall(r"#/\$defs/(\w+)", text):
            _place(inner, f"{at}.{key}{below}".lstrip("."), blocks, places)


def _block(
    block: Mapping[str, Any], places: list[str], headings: Mapping[str, str], name: str
) -> str:
    """Return a heading, what a block is, and a table of its keys."""
    further = ", ".join(f"`{place}`" for place in [*dict.fromkeys(places)][1:])
    lines = [f"## {headings[name]}", "", block["description"]]
    lines += ["", f"Also at {further}."] if further else []
    lines += ["", "| key | values | default | meaning |", "| --- | --- | --- | --- |"]
    for key, described in block["properties"].items():
        default = described.get("default", {})
        required = "required" if key in block.get("required", ()) else ""
        written = required if isinstance(default, dict) else f"`{json.dumps(default)}`"
        cells = (f"`{key}`", values(described, headings), written, described["description"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def values(described: Mapping[str, Any], headings: Mapping[str, str]) -> str:
    """Return in words the values that JSON schema describes.

    Args:
        described: a part of the schema.
        headings: of the blocks on the page, by their names.
    """
    match described:
        case {"$ref": path}:
            name = path.rpartition("/")[2]
            return f"[{name}](#{anchor(headings[name])})"
        case {"anyOf": alternatives} | {"oneOf": alternatives}:
            return " or ".join(values(each, headings) for each in alternatives)
        case {"enum": choices}:
            return ", ".join(f"`{choice}`" for choice in choices)
        case {"const": value}:
            return f"`{value}`"
        case {"items": items}:
            return f"list of {PLURAL.sub('s', values(items, headings), count=1)}"
        case {"patternProperties": named}:
            return f"names, each with {values(next(iter(named.values())), headings)}"
        case {"additionalProperties": dict() as named}:
            return f"names, each with {values(named, headings)}"
    kind = described.get("type", "anything")
    bounds = {word: described.get(key, LARGEST) for key, word in BOUNDS.items()}
    given = [f"{word} {bound:,}" for word, bound in bounds.items() if bound != LARGEST]
    return " ".join([kind, " and ".join(given)]).strip()


if __name__ == "__main__":
    write_text(PAGE, page(json.loads(SCHEMA.read_text(encoding="utf-8"))))
