"""Contracts: what a file holds that others read, as JSON Schema with the version of its layout.

The version is in the file. A file of another version is refused by name where it is read; one
that is written is checked first, so that a job ends with a sentence and not with a wrong file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import fastjsonschema
from fastjsonschema import JsonSchemaValueException

from fbftl.ground.errors import UserError

LAYOUT = "layout"
"""Where the version is: the column of a table, the key in a parquet file's metadata."""

STRING = {"type": "string"}
TEXT = {"type": "string", "minLength": 1}
WHOLE = {"type": "integer"}
NUMBER = {"type": ["number", "null"]}
TRUTH = {"type": "boolean"}
MAPPING = {"type": "object"}


def record(**parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping that has these parts, and may have others."""
    return {"type": "object", "required": list(parts), "properties": parts}


def named(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping from names to values of one kind."""
    return {"type": "object", "propertyNames": TEXT, "additionalProperties": schema}


def each(schema: Mapping[str, Any], least: int = 0) -> dict[str, Any]:
    """Return the schema of a list of at least so many values of one kind."""
    return {"type": "array", "items": schema, "minItems": least}


@dataclass(frozen=True)
class Contract:
    """A kind of file.

    kind: its name in sentences.
    version: of its layout, as it is in the file; from 1.
    schema: JSON Schema, draft 7, of what it holds; of a table, a list of values by column.
    """

    kind: str
    version: int
    schema: Mapping[str, Any]

    def require_version(self, layout: Any, path: str | Path) -> None:
        """Refuse a file of another layout.

        Raises:
            UserError: naming the file and both versions.
        """
        if layout != self.version:
            raise UserError(
                f"{self.kind} {path} has layout {layout!r:.20}, and this version of the project "
                f"reads layout {self.version}; remove the file, or read it with the version that "
                "wrote it"
            )

    def fault(self, document: Any) -> str | None:
        """Return what is wrong with a document; None if nothing is."""
        try:
            self._validate(document)
        except JsonSchemaValueException as error:
            where = repr(error.name.removeprefix("data").removeprefix("."))[1:-1] or "it"
            wanted = f"{error.rule} {error.rule_definition!r:.60}"
            return f"{where:.60} is {error.value!r:.40}, against {wanted}"
        return None

    @cached_property
    def _validate(self) -> Callable[[Any], Any]:
        return fastjsonschema.compile(dict(self.schema), use_default=False)
