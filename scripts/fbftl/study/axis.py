"""An axis of settings, described once.

The schema of grids, the refusal and the removal of values without effect, the page of methods and
the defaults that jobs rest on follow from this description.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

JSON_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean"}
"""How JSON schema names the types of axes."""


class AxisValues(Protocol):
    """Whatever has the axes as attributes: a setting of the plan, or the axes that a job knows."""

    def __getattr__(self, axis: str, /) -> Any: ...


@dataclass(frozen=True)
class Numbers:
    """The numbers between two bounds; `above` and `below` are no numbers of it themselves."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def schema(self) -> dict[str, float]:
        """Return the bounds as JSON schema names them."""
        bounds = {
            "minimum": self.least,
            "maximum": self.most,
            "exclusiveMinimum": self.above,
            "exclusiveMaximum": self.below,
        }
        return {keyword: bound for keyword, bound in bounds.items() if bound is not None}


@dataclass(frozen=True)
class Needs:
    """What a setting has to have for an axis to have an effect.

    what: as a sentence names it: "give ... beside it".
    met: tells whether a setting has it.
    """

    what: str
    met: Callable[[AxisValues], bool]


@dataclass(frozen=True)
class Axis:
    """One axis of settings.

    type: of its values; a default of none makes none a value as well.
    default: under which nothing happens. Names of runs rest on it: it never changes.
    doc: what it means, in a sentence.
    values: those that it may have: some, numbers within bounds, or what a JSON schema says. Without
        any it has all values of its type.
    needs: what all has to be given beside it; without effect it falls back to its default.
    """

    name: str
    type: type
    default: Any
    doc: str
    values: tuple[Any, ...] | Numbers | Mapping[str, Any] = ()
    needs: tuple[Needs, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of one of its values."""
        if isinstance(self.values, Mapping):
            return dict(self.values)
        optional = self.default is None
        if isinstance(self.values, tuple) and self.values:
            return {"enum": [*self.values, None] if optional else list(self.values)}
        name = JSON_TYPES[self.type]
        bounds = self.values.schema() if isinstance(self.values, Numbers) else {}
        return {"type": [name, "null"] if optional else name, **bounds}

    def offers(self, value: Any) -> bool:
        """Tell whether a value is among those listed, where they are."""
        listed = self.values if isinstance(self.values, tuple) else ()
        return not listed or value in listed or value == self.default

    def lacks(self, setting: AxisValues) -> Needs | None:
        """Return the first need that a setting does not meet, None if it meets all."""
        return next((need for need in self.needs if not need.met(setting)), None)


def needing(need: Needs, axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """Return axes with one more need, as one method has it of axes that many share."""
    return tuple(replace(axis, needs=(*axis.needs, need)) for axis in axes)
