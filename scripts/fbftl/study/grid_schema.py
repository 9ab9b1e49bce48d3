"""The part of the configuration's schema that follows from the methods and the axes."""

from collections.abc import Mapping
from typing import Any

from fbftl.study import methods
from fbftl.study.settings import AXES


def with_methods(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with the names of methods and mechanisms and the axes of grids.

    Args:
        schema: JSON schema of a configuration, whose definitions `method`, `mechanism` and `grid`
            leave them open.
    """
    definitions = dict(schema["$defs"])
    for name, names in {"method": methods.names(), "mechanism": methods.mechanisms()}.items():
        definitions[name] = definitions[name] | {"enum": names}
    grid = definitions["grid"]
    definitions["grid"] = grid | {"properties": grid["properties"] | axes_of_grids()}
    return {**schema, "$defs": definitions}


def axes_of_grids() -> dict[str, Any]:
    """Return the schema of every axis in a grid, a list of its values, by the axis's name."""
    return {
        axis.name: {
            "$ref": "#/$defs/axis",
            "description": axis.doc,
            "items": axis.schema(),
        }
        for axis in AXES.values()
    }
