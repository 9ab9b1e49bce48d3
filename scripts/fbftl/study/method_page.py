"""The page of methods with their axes, made from the records and from what `Setting` says of each
axis: `docs/methods.md`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fbftl.study.methods import RECORDS, MethodRecord, knowing
from fbftl.study.settings import DEFAULTS, Setting

HEAD = """\
# Methods and their axes

`python scripts/describe_methods.py` makes this page from the records in \
`scripts/fbftl/study/methods.py` and from `Setting` in `scripts/fbftl/study/settings.py`. A grid \
of an experiment names methods and axes by the words in this font; an axis that a method does not \
know is refused with the methods that do. The [glossary](glossary.md) has the papers' symbols, and \
[adding a method](adding-a-method.md) says how to write another.
"""

SENDS = {
    "once": "once, before training",
    "rounds": "an update of each client every round",
    "local": "after local epochs or steps",
    "nothing": "nothing",
}
"""What a record says of messages, in words."""


@dataclass(frozen=True)
class Axis:
    """One axis, as the page describes it.

    default: of a setting that does not name it.
    methods: names of the methods that know it.
    """

    name: str
    meaning: str
    default: Any
    methods: tuple[str, ...]


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
        *(f"- {_code(one.name)}: {_listed(_axes_of(one))}" for one in RECORDS),
        "",
        "## Axes\n",
        table(("axis", "meaning", "default", "methods"), map(_axis, axes())),
    ]
    return "\n".join(parts)


def axes() -> Iterator[Axis]:
    """Yield every axis in the fixed order of settings."""
    meanings = meanings_in(Setting.__doc__ or "")
    for name, default in DEFAULTS.items():
        yield Axis(name, meanings[name], default, tuple(knowing(name)))


def meanings_in(docstring: str) -> dict[str, str]:
    """Return what a docstring says of each field, from its lines ``name: meaning``."""
    described = re.findall(r"^ *(\w+): (.+(?:\n {8,}.+)*)", docstring, re.MULTILINE)
    return {name: re.sub(r"\s+", " ", meaning) for name, meaning in described}


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a pipe table; a bar inside a cell is escaped."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    cells = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _method(one: MethodRecord) -> tuple[str, ...]:
    noise = [name for name in one.mechanisms if name != "none"]
    kinds, paper = ", ".join(one.kinds), f"[{one.paper}](papers/{one.paper}.md)"
    label = re.sub(r"_(\w+)$", r"<sub>\1</sub>", one.label)
    return _code(one.name), label, paper, one.reads, SENDS[one.sends], kinds, _listed(noise)


def _axis(axis: Axis) -> tuple[str, ...]:
    everyone = len(axis.methods) == len(RECORDS)
    methods = "all" if everyone else _listed(axis.methods)
    default = "none" if axis.default is None else _code(_written(axis.default))
    return _code(axis.name), axis.meaning, default, methods


def _axes_of(one: MethodRecord) -> list[str]:
    return [axis for axis in DEFAULTS if axis != "method" and one.knows(axis)]


def _written(value: Any) -> str:
    """Return a default as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    return f"`{text}`"
