"""Alternative texts of figures, in their files and on pages."""

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESCRIPTION = re.compile(r"<dc:description>(.*?)</dc:description>", re.DOTALL)
"""Where an svg has its alternative text."""

PICTURE = re.compile(r"!\[[^]]*\]\((?P<path>[^)]+\.svg)\)")
"""A picture on a page."""

LOWERED = re.compile(r"\$(\w*_)\{?([\w^]+)\}?\$")
"""An index as figures set it lower."""


def plain(text: str) -> str:
    """Return a text of a figure on one line, with its indices behind an underscore."""
    return LOWERED.sub(r"\1\2", " ".join(text.split()))


def described(figure: "Figure", title: str) -> str:
    """Return a figure's alternative text: its title, what each panel shows, and what is named.

    Names that are numbers are left out.
    """
    panels = []
    for axes in figure.axes:
        shown = " against ".join(filter(None, (axes.get_ylabel(), axes.get_xlabel())))
        panels.append(": ".join(filter(None, (axes.get_title("left"), shown))))
    named = [text for legend in figure.legends for text in legend.get_texts()]
    named += [of for at in figure.axes for of in at.texts if of.get_text().strip("0123456789. ±")]
    names = dict.fromkeys(text.get_text().replace("\n", ", ") for text in named)
    parts = [title, *dict.fromkeys(panels), f"Labels: {'; '.join(names)}"]
    return " ".join(f"{plain(part)}." for part in filter(None, parts))


def alternative_of(svg: str) -> str:
    """Return the alternative text that a figure's svg has in its metadata, empty if it has none."""
    description = DESCRIPTION.search(svg)
    return unescape(description[1]) if description else ""


def alternative_in(path: Path) -> str:
    """Return the alternative text in a figure's file, empty if it has none or is not there."""
    return alternative_of(path.read_text(encoding="utf-8")) if path.is_file() else ""


def fill_alternatives(text: str, folder: Path) -> str:
    """Return a page whose pictures have the alternative texts of their svg files, where these do.

    Args:
        text: the page, in Markdown.
        folder: where the page is.
    """

    def filled(picture: re.Match[str]) -> str:
        words = alternative_in(folder / picture["path"])
        return f"![{words}]({picture['path']})" if words else picture[0]

    return PICTURE.sub(filled, text)
