"""Which source files a script's result depends on, found by reading its imports.

Their digest is a part of the recipe of what the script makes, so that a change in a module makes
what imports it anew, directly or through others, and nothing else. What counts is the syntax tree:
a comment, a docstring or another layout changes no result, nor does a file's time. What a file was
found to say is remembered by its content, since parsing them all takes seconds at every call.
"""

import ast
import hashlib
import json
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_json

PACKAGE = "fbftl"

NOT_DECIDING = frozenset(
    {
        "fbftl.ground.logs",
        "fbftl.ground.provenance",
        "fbftl.ground.timings",
    }
)
"""Modules that decide no byte of a result: they tell of a job.

A test runs jobs with a stub in the place of each.
"""


@cache
def sources(script: str, folder: str, *extra_modules: str) -> tuple[str, ...]:
    """Return the script's file and those of all library modules that it imports.

    Imports inside functions count too. Modules that decide nothing are left out, with what only
    they import.

    Args:
        script: path of the script inside `folder`.
        folder: the scripts folder, as the paths returned should begin.
        extra_modules: dotted names of modules that the script imports by name at run time.

    Returns:
        Paths below `folder`, sorted, the script first.
    """
    paths: dict[Path, None] = {}
    queue = [Path(folder, script)]
    queue += [p for name in extra_modules for p in imported_files(name, Path(folder))]
    while queue:
        path = queue.pop()
        if path in paths:
            continue
        paths[path] = None
        queue += _imported(path, Path(folder))
    script_file = Path(folder, script)
    return (str(script_file), *sorted(str(path) for path in paths if path != script_file))


@cache
def _imported(path: Path, folder: Path) -> tuple[Path, ...]:
    """Return the files of the library that decide and that a file imports, each once."""
    names = filter(decides, imports(path))
    return tuple(dict.fromkeys(file for name in names for file in imported_files(name, folder)))


@cache
def digest(paths: tuple[str, ...], folder: str = "") -> str:
    """Return one SHA-256 in hex for the names of source files and what their code says.

    Args:
        paths: the files.
        folder: what their names are told from, so that they are the same wherever a study runs.
    """
    listed = "".join(
        f"{path.removeprefix(folder)} {_source(Path(path)).digest}\n" for path in paths
    )
    return hashlib.sha256(listed.encode()).hexdigest()


class Source(NamedTuple):
    """What a source file says.

    digest: of its syntax tree.
    imports: dotted names below the package that it imports, modules or their members.
    """

    digest: str
    imports: tuple[str, ...]


class Remembered:
    """What files with the same content said in earlier calls.

    Args:
        path: where it is kept; a cache, which may be removed or be nowhere.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        with suppress(OSError, ValueError, TypeError, AttributeError):
            kept = json.loads(self._path.read_bytes())
            _KNOWN.update({key: Source(d, tuple(names)) for key, (d, names) in kept.items()})
        self._earlier = frozenset(_KNOWN)

    def keep(self) -> None:
        """Keep what was asked for since then, if any of it is new, where it can be written."""
        if not _requested <= self._earlier:
            with suppress(OSError, UserError):
                write_json(self._path, {key: _KNOWN[key] for key in _requested})


_KNOWN: dict[str, Source] = {}
"""What files say, by the digest of their content."""

_requested: set[str] = set()


@cache
def _source(path: Path) -> Source:
    content = path.read_bytes()
    key = _key(content)
    _requested.add(key)
    if key not in _KNOWN:
        tree = ast.parse(content, str(path))
        text = tree_text(tree).encode("utf-8", "surrogatepass")
        _KNOWN[key] = Source(hashlib.sha256(text).hexdigest(), _imports(tree))
    return _KNOWN[key]


def _key(content: bytes) -> str:
    """Return one SHA-256 for a file's content, the version of Python, and this module.

    Not for its path: a copy of the project, or a clone that was moved, says the same.
    """
    reader = f"{platform.python_version()} {_OWN} "
    return hashlib.sha256(reader.encode() + content).hexdigest()


_OWN = sha256(__file__)


def tree_text(node: Any) -> str:
    """Return a syntax tree as text, without docstrings and places.

    Fields that are empty are left out, since newer versions of Python have more of them.
    """
    if isinstance(node, ast.AST):
        fields = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []))
        return f"{type(node).__name__}({','.join(f'{name}={tree_text(v)}' for name, v in fields)})"
    if isinstance(node, list):
        return f"[{','.join(tree_text(item) for item in node if not _is_text(item))}]"
    return repr(node)


def _is_text(node: Any) -> bool:
    """Tell whether a statement is nothing but a string: a docstring, of whatever it is."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def imports(path: Path) -> tuple[str, ...]:
    """Return the dotted names below the package that a file imports, modules or their members."""
    return _source(path).imports


def _imports(tree: ast.Module) -> tuple[str, ...]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(n for n in names if n == PACKAGE or n.startswith(PACKAGE + "."))


def decides(name: str) -> bool:
    """Tell whether a module, or the one that a dotted name is a member of, decides results."""
    return name not in NOT_DECIDING and name.rpartition(".")[0] not in NOT_DECIDING


@cache
def imported_files(name: str, folder: Path) -> tuple[Path, ...]:
    """Return the files that importing a dotted name runs: its packages' and its own."""
    parts = name.split(".")
    packages = [folder.joinpath(*parts[: i + 1], "__init__.py") for i in range(len(parts))]
    module = folder.joinpath(*parts).with_suffix(".py")
    return tuple(path for path in (*packages, module) if path.is_file())
