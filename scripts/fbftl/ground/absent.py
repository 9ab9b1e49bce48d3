"""Stand-ins for packages that only jobs need, so that the plan reads modules which name them.

Under ``--sdm conda`` jobs bring their packages themselves, and Snakemake runs without them. Modules
that annotate with ``np.ndarray`` or keep a constant array then still import; nothing that is
computed with a stand-in has a meaning, so that using one once the modules are read is refused.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from fbftl.ground.errors import UserError

HEAVY = ("numpy", "scipy", "pandas", "pyarrow", "PIL", "h5py", "sklearn")
"""Packages that modules of the plan name when they are read, or that it looks for for jobs."""


class Absent(ModuleType):
    """A package or a part of one that is not installed, and whatever comes out of it."""

    def __getattr__(self, name: str) -> "Absent":
        """Return a part of it; Python's own questions have no answer."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """Leave it out of the bases of a class."""
        return ()

    def __call__(self, *arguments: Any, **named: Any) -> "Absent":
        """Return a value without a meaning while modules are read, and refuse afterwards."""
        if Finder.closed:
            raise UserError(
                f"the plan of this study asks its data by {self.__name__}, and {HEAVY[0]} or what "
                "belongs to it is not installed; install envs/requirements.txt beside Snakemake"
            )
        return self

    def __getitem__(self, key: Any) -> "Absent":
        """Return itself: annotations have parameters."""
        return self

    def __iter__(self) -> Iterator[Any]:
        """Hold nothing."""
        return iter(())

    def _with(self, other: Any) -> "Absent":
        return self

    __or__ = __ror__ = __add__ = __radd__ = __sub__ = __rsub__ = _with
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _with


class Finder(MetaPathFinder, Loader):
    """Finds stand-ins for packages that are not installed.

    closed: whether the modules are read, so that a use of a stand-in is a fault.
    """

    closed = False

    def __init__(self, packages: Sequence[str]) -> None:
        """Take the names of the packages that stand-ins are found for."""
        self.packages = packages

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Return where a stand-in comes from, or nothing for other packages."""
        if name.partition(".")[0] not in self.packages:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> Absent:
        """Return a stand-in."""
        return Absent(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it as it is."""


def stand_in() -> None:
    """Find stand-ins from now on for those heavy packages that are not installed."""
    lacking = [name for name in HEAVY if find_spec(name) is None]
    sys.meta_path.append(Finder(lacking))


def close() -> None:
    """Say that the modules are read: a use of a stand-in is refused from now on."""
    Finder.closed = True
