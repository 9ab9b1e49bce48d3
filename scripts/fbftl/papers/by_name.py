"""What the code knows of a paper by its name.

A paper may have a folder here, with its own measures, formulas and audit rows; none is needed where
those of all papers serve. Modules are imported only when they are needed.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

OF_CLAIMS = ("measures", "formulas")
"""Modules of a paper's folder that its claims name."""


def modules(paper: str, names: Iterable[str] = OF_CLAIMS) -> list[str]:
    """Return the dotted names of a paper's modules of such names, `{name}_{part}` among them."""
    folder = Path(__file__).with_name(paper)
    return [
        f"fbftl.papers.{paper}.{path.stem}"
        for name in names
        for pattern in (f"{name}.py", f"{name}_*.py")
        for path in sorted(folder.glob(pattern))
    ]


def audited() -> list[str]:
    """Return the papers with audit rows, the one that the workflow is named after first."""
    found = {path.parent.name for path in Path(__file__).parent.glob("*/audit*.py")}
    return sorted(found, key=lambda paper: (paper != "fbftl", paper))


def found_in(paper: str, module: str, name: str) -> list[Any]:
    """Return what a paper's modules have under a name, of each that has it."""
    found = (import_module(dotted) for dotted in modules(paper, [module]))
    return [getattr(module, name) for module in found if hasattr(module, name)]
