"""The look of every figure, over seaborn's for papers, and how its files are written."""

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from fbftl.findings.story import described, plain
from fbftl.ground.files import replacing, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.5
"""Width of one printed column in inches."""

TEXT_WIDTH = 7.16
"""Width of two printed columns in inches."""

NEUTRAL = "#444444"

DIVERGED = "†"
"""Stands behind an accuracy if a repetition diverged, in tables and figures."""

LABEL_SIZE = 7.5
"""Points of a label in a figure."""

MARGIN = 0.1
"""Inches around all that is drawn."""


def use_style() -> None:
    """Set seaborn and matplotlib for print; every plot kind calls this first."""
    import matplotlib as mpl
    import seaborn as sns
    import seaborn.objects as so

    mpl.use("Agg")
    look = {
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "figure.dpi": 150,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.5,
        "legend.frameon": False,
        "lines.linewidth": 1.4,
        "lines.markersize": 5.5,
        "pdf.fonttype": 42,
        "savefig.dpi": 300,
        "svg.fonttype": "none",
        "svg.hashsalt": "fbftl",
        "text.hinting": "none",  # widths are those of an svg
    }
    sns.set_theme("paper", "ticks", "deep", "DejaVu Sans", font_scale=0.9, rc=look)
    so.Plot.config.theme.update(mpl.rcParams)


def cycled_colors(count: int) -> list[tuple[float, ...]]:
    """Return colours for categories, from the first on again after ten."""
    import seaborn as sns

    return sns.color_palette("deep", count)


def ordered_colors(count: int) -> list[tuple[float, ...]]:
    """Return colours for an ordered axis such as a fraction, dark to light, none too light."""
    import seaborn as sns

    return sns.color_palette("viridis", count + 1)[:count]


HEADLINE = 9.5
"""Points of the title of a figure."""

LETTER = 0.57
"""Width of a letter of a title over its size, on average and with room to spare."""


def draw_title(figure: "Figure", title: str) -> None:
    """Write a figure's title above all that is drawn, in as many lines as it takes.

    Call it when nothing moves any more.
    """
    box = figure.get_tightbbox()
    letters = int(box.width * 72 / (LETTER * HEADLINE))
    title = re.sub(r" (?=[^(]*\)$)", "\u00a0", title)  # no line ends between task and seeds
    figure.text(
        box.x0 / figure.get_figwidth(),
        (box.y1 + MARGIN) / figure.get_figheight(),
        "\n".join(textwrap.wrap(title, letters, break_on_hyphens=False)).replace("\u00a0", " "),
        fontsize=HEADLINE,
        fontweight="bold",
        va="bottom",
    )


def with_seeds(title: str, numbers: "pd.DataFrame", svg: Path) -> str:
    """Return a title with the task, if the path has it, and how many seeds the means are of."""
    of_task = svg.parent.name == "figures" and "papers" not in svg.parts
    counts = sorted({int(n) for n in numbers.get("seeds", ()) if n == n})
    words = " to ".join(dict.fromkeys([*map(str, counts[:1]), *map(str, counts[-1:])]))
    seeds = f"{words} seed{'s' * (words != '1')}" if words else ""
    found = ", ".join(filter(None, [svg.parent.parent.name if of_task else "", seeds]))
    return f"{title} ({found})" if found else title


def save(figure: "Figure", svg: str | Path, numbers: "pd.DataFrame", title: str) -> None:
    """Write a figure as svg, pdf and png beside its plotted numbers as csv.

    It is laid out and measured once, which takes longer than to draw it. The bytes repeat for equal
    input: no dates in the metadata, a fixed svg salt.

    Args:
        figure: the drawn figure.
        svg: path of the svg; the other files differ only in their suffix.
        numbers: the plotted values, one row per drawn point.
        title: the quantities that it shows, without a full stop: a constant that holds whatever a
            study finds, for what is greater is a matter of tables and claims. It is drawn above the
            figure; each file has it in its metadata, with the alternative text.
    """
    svg = Path(svg)
    title = with_seeds(title, numbers, svg)
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    draw_title(figure, title)
    box = figure.get_tightbbox().padded(MARGIN)
    for legend in figure.legends:
        # Else it follows the edges of the picture, which the title moves.
        anchor = legend.get_bbox_to_anchor().transformed(figure.transFigure.inverted())
        legend.set_bbox_to_anchor(anchor, transform=figure.transFigure)
    title, seen = plain(title), described(figure, title)
    metadata = {
        "svg": {"Date": None, "Title": title, "Description": seen},
        "pdf": {"CreationDate": None, "Title": title, "Subject": seen},
        "png": {"Software": None, "Title": title, "Description": seen},
    }
    for suffix, of_file in metadata.items():
        with replacing(svg.with_suffix(f".{suffix}")) as temporary:
            figure.savefig(temporary, metadata=of_file, bbox_inches=box)
    write_text(svg.with_suffix(".csv"), numbers.to_csv(index=False, lineterminator="\n"))
