"""Writes that survive a power cut: on disk, and under their name, before they are relied on."""

import os
from pathlib import Path

from fbftl.ground.files import replacing


def write_durably(path: Path, content: bytes) -> None:
    """Write a file atomically and wait until its content is on the disk."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Wait until a file's content, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
