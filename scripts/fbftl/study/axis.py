"""An axis of settings, described once: a field of a block of axes.

Grids, the refusal and the removal of values without effect, the page of methods and the defaults
that jobs rest on follow from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin

from fbftl.study.model.block import ConfigBlock, meanings


class AxisValues(Protocol):
    """Whatever has the axes as attributes: a setting of the plan, or the axes that a job knows."""

    def __getattr__(self, axis: str, /) -> Any: ...


@dataclass(frozen=True)
class Needs:
    """What a setting has to have for an axis to have an effect.

    what: as a sentence names it: "give ... beside it".
    met: tells whether a setting has it.
    """

    what: str
    met: Callable[[AxisValues], bool]


class Axes(ConfigBlock):
    """Axes of settings: the type of each says its values and what it needs to have an effect.

    The default is that under which nothing happens. Names of runs rest on it: it never changes.
    """


@dataclass(frozen=True)
class Axis:
    """One axis of settings.

    annotation: type of its values.
    doc: what it means, in a sentence.
    needs: what all has to be given beside it; without effect it falls back to its default.
    """

    name: str
    annotation: Any
    default: Any
    doc: str
    needs: tuple[Needs, ...] = ()

    @cached_property
    def type(self) -> type:
        """Plain type of its values that are not none."""
        first = _members(self.annotation)[0]
        return type(get_args(first)[0]) if get_origin(first) is Literal else first

    @cached_property
    def listed(self) -> tuple[Any, ...]:
        """Values that it may have where these are listed, else nothing."""
        listed = (each for each in _members(self.annotation) if get_origin(each) is Literal)
        return tuple(value for each in listed for value in get_args(each))

    def lacks(self, setting: AxisValues) -> Needs | None:
        """Return the first need that a setting does not meet, None if it meets all."""
        return next((need for need in self.needs if not need.met(setting)), None)


def axes_in(block: type[Axes]) -> dict[str, Axis]:
    """Return the axes that are fields of a block, by name."""
    explained = meanings(block)
    return {
        name: Axis(
            name,
            field.rebuild_annotation(),
            field.default,
            explained.get(name, ""),
            tuple(each for each in field.metadata if isinstance(each, Needs)),
        )
        for name, field in block.model_fields.items()
    }


def _members(annotation: Any) -> list[Any]:
    """Return what a type is a union of, without bounds and none."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [member for each in get_args(annotation) for member in _members(each)]
    return [] if annotation is NoneType else [annotation]
