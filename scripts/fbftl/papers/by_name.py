"""What the code knows of a paper by its name.

A paper may have a folder here, with its own measures, formulas and audit rows; none is needed where
those of all papers serve. Modules are imported only when they are needed.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

OF_CLAIMS = ("measures", "formulas")
"""Modules of a paper's folder that its claims name."""


def modules(paper: str, names: Iterable[str] = OF_CLAIMS) -> list[str]:
    """Return the dotted names of those modules that a paper's folder has."""
    folder = Path(__file__).with_name(paper)
    return [f"fbftl.papers.{paper}.{n}" for n in names if (folder / f"{n}.py").is_file()]


def audited() -> list[str]:
    """Return the papers with audit rows, the one that the workflow is named after first."""
    found = sorted(path.parent.name for path in Path(__file__).parent.glob("*/audit.py"))
    return sorted(found, key=lambda paper: paper != "fbftl")


def found_in(paper: str, module: str, name: str, default: T) -> T:
    """Return what a paper's module has under a name, the default where it has no such module."""
    for dotted in modules(paper, [module]):
        return getattr(import_module(dotted), name, default)
    return default
