"""The methods as the plan knows them: records, and axes of their own; of a paper in one module.

The schema's enumerations, the constraints of training rules, the axes that a method may be asked
for, looks, labels and cost schemes come from here.
"""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fbftl.study.axes import SHARED
from fbftl.study.record import MethodRecord

RECORDS = tuple(
    sorted(
        (
            value
            for module in iter_modules(__path__)
            for value in vars(import_module(f"{__name__}.{module.name}")).values()
            if isinstance(value, MethodRecord)
        ),
        key=lambda record: record.place,
    )
)
"""Every method, in the order in which tables and figures show them."""

_BY_NAME = {record.name: record for record in RECORDS}


def record(name: str) -> MethodRecord:
    """Return the record of a method."""
    return _BY_NAME[name]


def names(**traits: str | bool) -> list[str]:
    """Return the names of the methods with these traits, as in ``reads="features"``."""
    return [
        record.name
        for record in RECORDS
        if all(getattr(record, trait) == value for trait, value in traits.items())
    ]


def knowing(axis: str) -> list[str]:
    """Return the names of the methods that know an axis."""
    return [record.name for record in RECORDS if record.knows(axis)]


def mechanisms() -> list[str]:
    """Return every privacy mechanism that some method offers."""
    return list(dict.fromkeys(name for record in RECORDS for name in record.mechanisms))


def axes_by_method() -> dict[str, dict[str, Any]]:
    """Return the axes that each method's run reads, with their defaults: what its jobs are told."""
    return {
        record.name: {name: axis.default for name, axis in record.by_name.items()}
        | {name: SHARED[name].default for name in record.fixed}
        for record in RECORDS
    }


def rows(shown: Iterable[str]) -> list[dict[str, Any]]:
    """Return what tables and figures read of methods, in builtin types and the fixed order.

    Args:
        shown: names of the methods that occur.
    """
    columns = ("name", "label", "colour", "marker", "sends", "cost")
    wanted = set(shown)
    return [{key: getattr(r, key) for key in columns} for r in RECORDS if r.name in wanted]
