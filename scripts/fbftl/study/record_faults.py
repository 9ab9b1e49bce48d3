"""What is wrong with a method's record, told when the plan is made and not in a job."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study.axes import BY_ROUNDS
from fbftl.study.methods import RECORDS
from fbftl.study.record import MethodRecord
from fbftl.study.settings import AXES

METHODS = Path(__file__).parents[1] / "methods"

ENGINE = "run_rounds"
"""The engine that reads the axes `BY_ROUNDS` of every setting, as methods import it."""

PLANNED = "guarantees"
"""What a method with mechanisms says before any job; `methods/by_name.py` calls it."""


def require_records(records: Sequence[MethodRecord] = RECORDS, methods: Path = METHODS) -> None:
    """Refuse a record that does not fit its module or another method's axes.

    Args:
        records: of all methods.
        methods: folder of their modules.

    Raises:
        UserError: naming file, method and axis.
    """
    for record in records:
        for fault in _faults(record, methods):
            raise UserError(f"scripts/fbftl/study/methods/{record.name}.py {fault}")


def _faults(record: MethodRecord, methods: Path) -> Iterator[str]:
    """Yield what a record says against its module and others' axes, each with its remedy."""
    for name, axis in record.by_name.items():
        shared = AXES.get(name, axis)
        if (axis.type, axis.default) != (shared.type, shared.default):
            yield (
                f"has the axis '{name}' with the default {axis.default}, and others know it with "
                f"{shared.default}; give it another name"
            )
        if not {*axis.listed} <= {*(shared.listed or axis.listed)}:
            yield (
                f"has values of the axis '{name}' that others do not know; describe them in "
                "study/axes.py, or give it another name"
            )
    folder = methods / record.name
    entry = folder / "run.py" if folder.is_dir() else methods / f"{record.name}.py"
    if not entry.is_file():
        yield (
            f"has no module scripts/fbftl/methods/{record.name}.py; write it, or take the record "
            "out"
        )
        return
    if record.mechanisms != ("none",) and PLANNED not in entry.read_text(encoding="utf-8"):
        yield (
            f"has mechanisms, and scripts/fbftl/methods/{entry.relative_to(methods)} no function "
            f"{PLANNED}(job, clients); write it, or leave mechanisms out"
        )
    lacking = [name for name in BY_ROUNDS if name not in record.by_name]
    modules = [entry, *folder.glob("*.py")] if lacking else []
    if any(f" {ENGINE}" in module.read_text(encoding="utf-8") for module in modules):
        yield (
            f"lacks the axes {', '.join(lacking)}, which {ENGINE} reads; put *BY_ROUNDS among its "
            "axes"
        )
