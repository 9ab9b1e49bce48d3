"""Which source files a script's result depends on, found by reading its imports.

The workflow gives their digest to the script's rule as a param, so that a change in a module reruns
what imports it, directly or through others, and nothing else. Times of change play no part.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

from fbftl.ground.files import sha256

PACKAGE = "fbftl"


@cache
def sources(script: str, folder: str, *extra_modules: str) -> tuple[str, ...]:
    """Return the script's file and those of all library modules that it imports.

    Imports inside functions count too.

    Args:
        script: file name of the script inside `folder`.
        folder: the scripts folder, as the paths returned should begin.
        extra_modules: dotted names of modules that the script imports by name at run time.

    Returns:
        Paths below `folder`, sorted, the script first.
    """
    found: dict[Path, None] = {}
    queue = [Path(folder, script)]
    queue += [p for name in extra_modules for p in imported_files(name, Path(folder))]
    while queue:
        path = queue.pop()
        if path in found:
            continue
        found[path] = None
        for name in imports(path, Path(folder)):
            queue += imported_files(name, Path(folder))
    return (str(Path(folder, script)), *sorted(str(p) for p in found if p.name != script))


@cache
def digest(paths: tuple[str, ...]) -> str:
    """Return one SHA-256 in hex for the names and contents of files."""
    listed = "".join(f"{path} {_sha256(path)}\n" for path in paths)
    return hashlib.sha256(listed.encode()).hexdigest()


_sha256 = cache(sha256)


@cache
def imports(path: Path, folder: Path) -> tuple[str, ...]:
    """Return the dotted names below the package that a file imports, modules or their members."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(n for n in names if n == PACKAGE or n.startswith(PACKAGE + "."))


def imported_files(name: str, folder: Path) -> list[Path]:
    """Return the files that importing a dotted name runs: its packages' and its own."""
    parts = name.split(".")
    packages = [folder.joinpath(*parts[: i + 1], "__init__.py") for i in range(len(parts))]
    module = folder.joinpath(*parts).with_suffix(".py")
    return [path for path in (*packages, module) if path.is_file()]
