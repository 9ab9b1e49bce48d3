"""What the code knows of a paper by its name.

A paper may have a folder here, with measures and formulas of its own in `claims.py` and its audit
rows in `audit.py`; none is needed where those of all papers serve. Modules are imported only when
they are needed.
"""

from importlib import import_module
from pathlib import Path
from typing import Any


def modules(paper: str, name: str = "claims") -> list[str]:
    """Return the dotted names of a paper's modules of a name, `{name}_{part}` among them."""
    folder = Path(__file__).with_name(paper)
    return [
        f"fbftl.papers.{paper}.{path.stem}"
        for pattern in (f"{name}.py", f"{name}_*.py")
        for path in sorted(folder.glob(pattern))
    ]


def audited() -> list[str]:
    """Return the papers with audit rows, the one that the workflow is named after first."""
    found = {path.parent.name for path in Path(__file__).parent.glob("*/audit*.py")}
    return sorted(found, key=lambda paper: (paper != "fbftl", paper))


def found_in(paper: str, name: str) -> list[Any]:
    """Return what modules of a paper's claims have under a name, of each that has it."""
    found = map(import_module, modules(paper))
    return [getattr(module, name) for module in found if hasattr(module, name)]
