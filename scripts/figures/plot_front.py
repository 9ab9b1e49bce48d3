"""Figures of what a client should upload: kilobytes for the accuracy of raw features, and for any.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from fbftl.findings.plots.kinds import lines
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, marks, to_draw, with_front
from fbftl.findings.style import TEXT_WIDTH, save
from fbftl.findings.upload_kinds import KINDS, written
from fbftl.findings.wording import codec_words

SKEWS = ("iid labels", "Dirichlet 0.1")
"""Panels of the figure over client sizes, where they were measured."""

SIZES = (8, 128)
"""Panels of the figure of the front, where they were measured."""

KILOBYTES = "uplink per client (kB)"

MARKERS = "oDsvP^X*<>hd"
"""Of kinds in their order."""


def looks_of(rows: pd.DataFrame) -> dict[str, Look]:
    """Return looks of the kinds that a table has; a kind of one's own is black."""
    kinds = [*KINDS, *sorted({*rows["kind"]} - {*KINDS})]
    return {
        written(kind): Look(KINDS.get(kind, "black"), marker)
        for kind, marker in zip(kinds, MARKERS, strict=False)
    }


def panel_values(wanted: Sequence[Any], measured: Iterable[Any]) -> list[Any]:
    """Return as many of the measured values as are wanted: these, else the least and the greatest.

    Studies of one's own have other samples per client and other skews than the published ones.
    """
    found = [value for value in wanted if value in set(measured)]
    others = sorted(set(measured) - set(found))
    missing = len(wanted) - len(found)
    return found + (others if len(others) <= missing else [others[0], others[-1]][:missing])


def upload_sizes(table: str, svg: str) -> None:
    """Draw kilobytes a client to come within one point of raw features with their best head, by K.

    A line for each kind of upload, which ends where no head and no number of bits gets there.
    """
    rows = to_draw(table)
    skews = panel_values(SKEWS, rows["skew"])
    rows = rows[rows["cheapest"].eq("yes") & rows["skew"].isin(skews)].drop(columns="spread")
    kinds = rows["kind"].map(written)
    frame = marks(rows, "samples_per_client", "kilobytes", series=kinds, factor=1)
    frame = frame.assign(panel=rows["skew"])
    sizes = sorted(rows["samples_per_client"].unique())
    x, y = Scale("samples per client K", "log", sizes), Scale(KILOBYTES, "log plain")
    panels = {skew: Panel(x, y, skew) for skew in skews}
    spec = Spec(looks_of(rows), panels, (TEXT_WIDTH, 3.4), legend=4)
    title = "Least uplink that comes within one point of raw features' accuracy"
    save(lines(frame.sort_values("x"), spec), svg, rows, title)


def upload_front(table: str, svg: str) -> None:
    """Draw accuracy against kilobytes a client, each kind's best head at each number of bits."""
    rows = to_draw(table)
    rows = rows[rows["skew"].eq(panel_values(SKEWS, rows["skew"])[0])]
    sizes = sorted(panel_values(SIZES, rows["samples_per_client"]))
    rows = rows[rows["samples_per_client"].isin(sizes)]
    best = rows.loc[
        rows.groupby(["samples_per_client", "kind", "bits", "keep"])["accuracy"].idxmax()
    ]
    words = best.apply(lambda row: codec_words(row["bits"], row["keep"]), axis=1)
    bits = words.where(best["pareto"].eq("yes"), "")
    on_front, kinds = best["pareto"].eq("yes"), best["kind"].map(written)
    filled = kinds[on_front].unique()
    # The legend has a kind once: its hollow marks only where none is on the front.
    series = kinds.where(on_front | ~kinds.isin(filled), "_" + kinds)
    frame = marks(best, "kilobytes", series=series, name=bits)
    frame = frame.assign(panel=best["samples_per_client"])
    full = {kind: replace(look, line="", size=7) for kind, look in looks_of(rows).items()}
    hollow = {kind: replace(look, filling="white", size=5) for kind, look in full.items()}
    looks = {f"_{kind}": look for kind, look in hollow.items()}
    looks |= hollow | {kind: full[kind] for kind in filled}
    frame, looks = with_front(frame, on_front, looks)
    x, y = Scale(KILOBYTES, "log plain"), Scale(ACCURACY, "score")
    panels = {size: Panel(x, y, f"K = {size} samples per client") for size in sizes}
    figure = lines(frame, Spec(looks, panels, (TEXT_WIDTH, 4.1), legend=4))
    save(figure, svg, best, "Accuracy against uplink by kind of upload")
