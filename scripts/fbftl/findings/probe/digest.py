"""The digest of whatever an operation returns."""

import hashlib
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

LENGTH = 16
"""Hexadecimal digits of a digest that are shown."""


def digest(value: Any) -> str:
    """Return the digest of a value: tensors and arrays by type, shape and bytes, numbers by bytes.

    Args:
        value: a tensor, array, number, text, bytes or None, or lists, tuples and dicts of these.

    Raises:
        TypeError: if it is anything else.
    """
    sha = hashlib.sha256()
    for part in _parts(value):
        sha.update(part)
    return sha.hexdigest()[:LENGTH]


def _parts(value: Any) -> Iterator[bytes]:
    match value:
        case np.ndarray() | np.generic():
            array = np.asarray(value)
            if array.dtype.hasobject:
                raise TypeError("an array of Python objects has no digest")
            yield f"{array.dtype.str}{array.shape}".encode()
            yield np.ascontiguousarray(array).tobytes()
        case float():
            yield b"float" + struct.pack("<d", value)
        case None | bool() | int() | str():
            text = repr(value).encode()
            yield b"text%d:" % len(text) + text
        case bytes():
            yield b"bytes%d:" % len(value) + value
        case dict():
            yield b"dict"
            yield from _parts([[key, value[key]] for key in sorted(value)])
        case list() | tuple():
            yield f"{len(value)}:".encode()
            for item in value:
                yield from _parts(item)
        case _ if hasattr(value, "detach"):  # a tensor, without the import of torch
            yield from _parts(value.detach().contiguous().numpy())
        case _:
            raise TypeError(f"a {type(value).__name__} has no digest")
