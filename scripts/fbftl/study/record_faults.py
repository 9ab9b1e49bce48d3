"""What is wrong with a method's record, told when the plan is made and not in a job."""

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study.methods import BY_ROUNDS, RECORDS, MethodRecord
from fbftl.study.schema import suggestion
from fbftl.study.settings import DEFAULTS

METHODS = Path(__file__).parents[1] / "methods"
RECORDED = "scripts/fbftl/study/methods.py"

ENGINES = {"run_rounds": BY_ROUNDS}
"""Axes that an engine reads of every setting, by the name under which a method imports it."""


def require_records(records: Sequence[MethodRecord] = RECORDS, methods: Path = METHODS) -> None:
    """Refuse a record without a module, with an unknown axis, or without one that is read.

    Args:
        records: of all methods.
        methods: folder of their modules.

    Raises:
        UserError: naming file, method and axis.
    """
    for record in records:
        if not isinstance(record, MethodRecord):
            raise UserError(
                f"{RECORDED}: RECORDS has an entry that is no MethodRecord: {str(record)[:60]}; "
                "write the record itself, without brackets around it"
            )
        where = f"{RECORDED}: the record of method '{record.name}'"
        for axis in record.axes:
            if axis not in DEFAULTS:
                raise UserError(
                    f"{where} names the axis '{axis}', which is no field of Setting in "
                    f"study/settings.py{suggestion(axis, DEFAULTS)}"
                )
        module = methods / f"{record.name}.py"
        if not module.is_file():
            raise UserError(
                f"{where} has no module scripts/fbftl/methods/{record.name}.py; write it, or take "
                "the record out"
            )
        for engine in sorted(ENGINES.keys() & set(_imported(module))):
            if lacking := [axis for axis in ENGINES[engine] if axis not in record.axes]:
                raise UserError(
                    f"{where} lacks the axes {', '.join(lacking)}, which {engine} reads; put "
                    "*BY_ROUNDS among its axes"
                )


def _imported(module: Path) -> Iterable[str]:
    """Yield the names that a module imports from others; none of what is no Python."""
    try:
        tree = ast.parse(module.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise UserError(f"scripts/fbftl/methods/{module.name} is no Python: {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
