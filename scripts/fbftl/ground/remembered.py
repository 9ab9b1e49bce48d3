"""What small files were found to say, remembered by their size and times from call to call."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing


class Parsed:
    """What files say; call it with a path.

    Args:
        kept: file that remembers it between two calls. It is a cache: it may be removed, and where
            it cannot be written, files are read again.
        parse: from the bytes of a file to what of it is remembered, in builtin types.
    """

    def __init__(self, kept: str | Path, parse: Callable[[bytes], Any]) -> None:
        self._kept, self._parse = Path(kept), parse
        self._known: dict[str, list[Any]] = {}
        with suppress(OSError, ValueError, TypeError):
            self._known = dict(json.loads(self._kept.read_bytes()))
        self._used: dict[str, list[Any]] = {}

    def __call__(self, path: str | Path) -> Any:
        """Return what a file says.

        Raises:
            OSError: if it cannot be read.
        """
        status = os.stat(path)
        stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        entry = self._known.get(str(path))
        if not entry or entry[0] != stamp:
            entry = [stamp, self._parse(Path(path).read_bytes())]
        self._used[str(path)] = entry
        return entry[1]

    def keep(self) -> None:
        """Keep what was asked for, if it differs from what was kept, where it can be written."""
        if self._used != self._known:
            with suppress(OSError, UserError), replacing(self._kept) as temporary:
                temporary.write_text(json.dumps(self._used), encoding="utf-8")
