"""What is wrong with a method's record, told when the plan is made and not in a job."""

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study.axes import BY_ROUNDS
from fbftl.study.axis import Axis
from fbftl.study.methods import RECORDS
from fbftl.study.record import MethodRecord
from fbftl.study.settings import AXES

METHODS = Path(__file__).parents[1] / "methods"

ENGINES = {"run_rounds": BY_ROUNDS}
"""Axes that an engine reads of every setting, by the name under which a method imports it."""

PLANNED = "guarantees"
"""What a method with mechanisms says before any job; `methods/by_name.py` calls it."""


def require_records(records: Sequence[MethodRecord] = RECORDS, methods: Path = METHODS) -> None:
    """Refuse a record without a module, with an axis at odds with others', or without one read.

    One with mechanisms is refused whose module does not say what they guarantee.

    Args:
        records: of all methods.
        methods: folder of their modules.

    Raises:
        UserError: naming file, method and axis.
    """
    for record in records:
        where = f"scripts/fbftl/study/methods/{record.name}.py"
        for axis in record.axes:
            _require_axis(where, axis)
        folder = methods / record.name
        entry = folder / "run.py" if folder.is_dir() else methods / f"{record.name}.py"
        if not entry.is_file():
            raise UserError(
                f"{where} has no module scripts/fbftl/methods/{record.name}.py; write it, or take "
                "the record out"
            )
        if record.mechanisms != ("none",) and PLANNED not in _bound(entry):
            raise UserError(
                f"{where} has mechanisms, and scripts/fbftl/methods/{entry.relative_to(methods)} "
                f"no function {PLANNED}(job, clients); write it, or leave mechanisms out"
            )
        others = {*folder.glob("*.py")} - {entry}
        modules = [entry, *filter(_names_an_engine, others)]
        imported = {name for module in modules for name in _imported(module)}
        for engine in sorted(ENGINES.keys() & imported):
            read = (axis.name for axis in ENGINES[engine])
            if lacking := [name for name in read if name not in record.by_name]:
                raise UserError(
                    f"{where} lacks the axes {', '.join(lacking)}, which {engine} reads; put "
                    "*BY_ROUNDS among its axes"
                )


def _require_axis(where: str, axis: Axis) -> None:
    """Refuse what is no axis, and an axis that means something else than another of its name."""
    if not isinstance(axis, Axis):
        raise UserError(
            f"{where} has among its axes {str(axis)[:60]!r}, which is none; import it from "
            "study/axes.py, or write an Axis for it"
        )
    shared = AXES.get(axis.name, axis)
    if (axis.type, axis.default) != (shared.type, shared.default):
        raise UserError(
            f"{where} has the axis '{axis.name}' with the default {axis.default}, and others know "
            f"it with {shared.default}; give it another name"
        )
    if isinstance(axis.values, tuple) and not all(map(shared.offers, axis.values)):
        raise UserError(
            f"{where} has values of the axis '{axis.name}' that others do not know; describe them "
            "in study/axes.py, or give it another name"
        )


def _names_an_engine(module: Path) -> bool:
    """Tell whether a module may import an engine, so that it is worth parsing."""
    text = module.read_text(encoding="utf-8", errors="replace")
    return any(engine in text for engine in ENGINES)


def _imported(module: Path) -> Iterable[str]:
    """Yield the names that a module imports from others.

    Raises:
        UserError: if it is no Python.
    """
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def _bound(module: Path) -> set[str]:
    """Return the names that a module defines, imports or assigns at its top.

    Raises:
        UserError: if it is no Python.
    """
    names: set[str] = set()
    for node in _parsed(module).body:
        match node:
            case ast.FunctionDef(name=name):
                names.add(name)
            case ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _parsed(module: Path) -> ast.Module:
    try:
        return ast.parse(module.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise UserError(f"scripts/fbftl/methods/{module.name} is no Python: {error}") from error
