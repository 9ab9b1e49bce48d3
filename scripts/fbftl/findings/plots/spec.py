"""How a figure looks, as data: the scales of its panels and the look of its series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fbftl.findings.shown import ShownMethod
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, ordered_colors

HIGHEST = 100
"""What accuracies and ROUGE can reach as they are drawn; their lowest is 0."""


ACCURACY = "test accuracy (%)"
"""Label of the scale that most figures have."""


@dataclass(frozen=True)
class Scale:
    """An axis of a panel.

    label: quantity and unit; a logarithmic scale is added to it.
    scale: `linear`, `log`, `log plain` with plain numbers, `log 1-2-5` with more
        of them, `log2`, `symlog`, `categories`, `score`
        (per cents, stretched where they crowd below 100) or `packet loss`.
    ticks: places, or their labels by place; matplotlib's own without any.
    limits: ends, None where the data decide.
    margin: share of the panel that is left free at each end.
    reference: where a thin line crosses the axis.
    """

    label: str = ""
    scale: str = "linear"
    ticks: Sequence[float] | Mapping[float, str] = ()
    limits: tuple[float | None, float | None] = (None, None)
    margin: float | None = None
    reference: float | None = None


@dataclass(frozen=True)
class Panel:
    """One of the small multiples of a figure."""

    x: Scale
    y: Scale
    title: str = ""


@dataclass(frozen=True)
class Look:
    """How a series is drawn.

    marker, line: as matplotlib writes them, empty for none.
    filling: colour inside of markers; the series' own without one.
    width, size: points of the line and of a marker.
    """

    colour: Any = NEUTRAL
    marker: str = "o"
    line: str = "-"
    filling: str = ""
    width: float = 1.4
    size: float = 5.5

    @classmethod
    def of(cls, method: ShownMethod, **other: Any) -> "Look":
        """Return the look of a method, with fields that differ from it."""
        return cls(method.colour, method.marker, **other)

    @property
    def edge(self) -> Any:
        """Colour around markers: white, as they lie on lines.

        A marker of lines alone, such as x, is all edge, and so keeps its colour there, as letters
        such as $V$ and hollow markers do.
        """
        from matplotlib.lines import Line2D

        is_plain = self.marker in Line2D.filled_markers and not self.filling
        return "white" if is_plain else self.colour


def in_order(names: Sequence[str], **fields: Any) -> dict[str, Look]:
    """Return looks of series along an ordered axis such as a fraction, dark to light."""
    colours = ordered_colors(len(names))
    return {name: Look(colour, **fields) for name, colour in zip(names, colours, strict=True)}


PRINTED = Look("#777777", "D", ":", filling="white", width=1.0, size=4)
"""How printed numbers are drawn, and nothing that is measured here: hollow diamonds, dotted."""


@dataclass(frozen=True)
class Spec:
    """How a tidy frame is drawn.

    looks: of the series by their name, in the order of legend and drawing.
    panels: by what the frame calls them, in their order; those without a row are left out.
    size: inches of the figure.
    columns: panels side by side; all without a number.
    legend: entries side by side; no legend without a number.
    """

    looks: Mapping[str, Look]
    panels: Mapping[Any, Panel]
    size: tuple[float, float] = (COLUMN_WIDTH, 0.9 * COLUMN_WIDTH)
    columns: int | None = None
    legend: int = field(default=0)
