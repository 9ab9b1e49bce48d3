"""The look of every figure: sizes, fonts, one colour and marker per method.

Colours are Okabe and Ito's, safe for colour-blind readers and in greyscale print.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fbftl.files import replacing, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.5
"""Width of one printed column in inches."""

TEXT_WIDTH = 7.16
"""Width of two printed columns in inches."""


@dataclass(frozen=True)
class MethodLook:
    """How one method is drawn everywhere."""

    label: str
    color: str
    marker: str


METHODS = {
    "fbftl": MethodLook("FbFTL", "#D55E00", "o"),
    "ftl_c": MethodLook("FTL$_c$", "#0072B2", "s"),
    "ftl_f": MethodLook("FTL$_f$", "#009E73", "^"),
    "fl": MethodLook("FL", "#CC79A7", "D"),
    "sfl": MethodLook("SFL", "#E69F00", "v"),
}

NEUTRAL = "#444444"

DIVERGED = "†"
"""Stands behind an accuracy if a repetition diverged, in tables and figures."""


def use_style() -> None:
    """Set matplotlib and seaborn for print; every plotting script calls this first."""
    import matplotlib as mpl

    mpl.use("Agg")
    import seaborn as sns

    sns.set_theme(context="paper", style="ticks", font="DejaVu Sans", font_scale=0.9)
    mpl.rcParams.update(
        {
            "figure.dpi": 150,
            "savefig.dpi": 300,
            "savefig.bbox": "tight",
            "axes.grid": True,
            "grid.color": "#DDDDDD",
            "grid.linewidth": 0.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "legend.frameon": False,
            "svg.hashsalt": "fbftl",
            "svg.fonttype": "none",
            "pdf.fonttype": 42,
        }
    )


def save(figure: "Figure", svg: str | Path, numbers: "pd.DataFrame") -> None:
    """Write a figure as svg, pdf and png beside its plotted numbers as csv.

    The bytes repeat for equal input: no dates in the metadata, a fixed svg salt.

    Args:
        figure: the drawn figure.
        svg: path of the svg; the other files differ only in their suffix.
        numbers: the plotted values, one row per drawn point.
    """
    svg = Path(svg)
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    for suffix, metadata in undated.items():
        with replacing(svg.with_suffix(f".{suffix}")) as temporary:
            figure.savefig(temporary, metadata=metadata)
    write_text(svg.with_suffix(".csv"), numbers.to_csv(index=False, lineterminator="\n"))
