"""All operations of the probe by their names, and the digests of what they return."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from fbftl.findings.probe.digest import digest
from fbftl.ground.errors import UserError

KINDS = {
    "torch": "tensors",
    "layers": "networks",
    "training": "learning",
    "numpy": "arrays",
    "scipy": "solvers",
    "content": "content",
    "study": "study",
}
"""The module with the operations of each kind, imported when one of them is wanted."""

BY_TORCH = ("torch", "layers", "training")
"""Kinds that compute with torch."""


def operations(wanted: Sequence[str] = ()) -> dict[str, Callable[[], Any]]:
    """Return operations by their names, `kind/operation`, in a fixed order.

    Args:
        wanted: names of operations or kinds; none means all.

    Raises:
        UserError: if there is no operation or kind of a name.
    """
    kinds = {name.partition("/")[0] for name in wanted or KINDS}
    known = {
        f"{kind}/{name}": operation
        for kind, module in KINDS.items()
        if kind in kinds
        for name, operation in import_module(f"{__package__}.{module}").OPERATIONS.items()
    }
    for name in wanted:
        if name not in known.keys() | KINDS.keys():
            raise UserError(
                f"the probe has no operation {name}; give one of the kinds {', '.join(KINDS)}, or "
                "a name as it prints them"
            )
    if not wanted:
        return known
    return {
        name: operation
        for name, operation in known.items()
        if name in wanted or name.partition("/")[0] in wanted
    }


def digests(wanted: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of each wanted operation, computed on one thread.

    Args:
        wanted: as `operations` has it.
    """
    from threadpoolctl import threadpool_limits

    chosen = operations(wanted)
    if any(name.partition("/")[0] in BY_TORCH for name in chosen):
        from fbftl.ground.devices import prepare

        prepare("cpu", threads=1)
    for name, operation in chosen.items():
        # Whatever was imported since the last operation has threads of its own.
        with threadpool_limits(1):
            yield name, digest(operation())
