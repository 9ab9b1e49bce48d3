"""Figures of what a client may upload instead of its features: accuracy, uplink, trust.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle

import pandas as pd
from fbftl.findings.plots.kinds import lines
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, marks, to_draw, with_front
from fbftl.findings.runs import mean_and_spread, varying
from fbftl.findings.shown import shown
from fbftl.findings.steps import Axes, Methods
from fbftl.findings.style import TEXT_WIDTH, save
from fbftl.findings.uploads import UPLOADING, Upload, by_upload
from fbftl.findings.wording import setting_words
from fbftl.study.uploads import READ


def look_of(upload: Upload, line: str = "") -> Look:
    """Return colour and marker of an upload; markers are empty where only a sum is seen."""
    colour, marker, is_seen = upload.look
    return Look(colour, marker, line, filling="" if is_seen else "white")


COINCIDING = 0.25
"""Per cents of accuracy up to which marks lie on each other."""


def uploads(table: str, svg: str) -> None:
    """Draw accuracy against uplink for every message and head, with the front that none beats.

    Marks of a message that all but coincide have one name, see `of_several`.
    """
    rows = to_draw(table)
    frames, looks = [], {}
    for upload, of_upload in by_upload(rows):
        sent = of_upload["bits_per_client"] / 8e3
        frames.append(marks(of_upload, sent, series=upload.sent, name=upload.label))
        looks.setdefault(upload.sent, replace(look_of(upload), marker="oDsvP^X*"[len(looks) % 8]))
    frame, at = pd.concat(frames).sort_values("y", ascending=False), ["series", "x"]
    frame["apart"] = frame.groupby(at)["y"].diff().lt(-COINCIDING)
    of_place = frame.groupby([*at, frame.groupby(at)["apart"].cumsum()])["name"]
    frame["name"] = of_place.transform(of_several).where(of_place.cumcount() == 0, "")
    frame, looks = with_front(frame, rows["pareto"].eq("yes"), looks)
    x = Scale("uplink per client (kB)", "log plain", margin=0.18)
    panel = Panel(x, Scale(ACCURACY, "score"))
    figure = lines(frame, Spec(looks, {"": panel}, (TEXT_WIDTH, 5.0), legend=4))
    save(figure, svg, rows, "Accuracy against uplink of messages and heads")


def of_several(names: pd.Series) -> str:
    """Return the name of marks that all but coincide, the most accurate head first."""
    if len(names) <= MOST_NAMED:
        return "; ".join(names)
    return f"{names.iloc[0]} to {names.iloc[-1]} ({len(names)} heads)"


MOST_NAMED = 3
"""Heads whose marks all but coincide that are each named."""


ABSCISSAE = {
    "samples_per_client": ("samples per client K", "log"),
    "alpha": ("Dirichlet concentration α", "log"),
    "plr": ("packet loss rate PLR", "packet loss"),
}
"""Label and scale of the axes along which uploads are drawn."""

DASHES = ("-", "--", ":", "-.")
"""Of lines that have one colour, in turn."""


def uploads_by(runs: str, svg: str, axis: str, axes: Axes, task_value: float | None) -> None:
    """Draw accuracy of uploads along an axis: samples per client, label skew, or lost packets.

    Where the experiment varies further axes, a line for each of their values too. What ran at one
    place alone is left out, unless all did.

    Args:
        runs: the tidy table.
        svg: path of the svg.
        axis: the axis along which the experiment runs.
        axes: those of uploads and this one, with their defaults.
        task_value: the task's value of the axis, for settings that do not name it; None if none.
    """
    table = to_draw(runs, axes)
    table = table[table["blr"].eq(0)] if "blr" in table else table
    here = (table if task_value is None else table.fillna({axis: task_value})).dropna(subset=axis)
    further = varying(here, ["method", *READ, axis])
    rows = mean_and_spread(here, [*READ, *further, axis])
    frame, looks = by_axis(rows, further, axis)
    label, scale = ABSCISSAE[axis]
    panel = Panel(Scale(label, scale, sorted(rows[axis].unique())), Scale(ACCURACY, "score"))
    spec = Spec(looks, {"": panel}, (TEXT_WIDTH, 3.6))
    save(lines(frame, spec), svg, rows, f"Accuracy of uploads by {label}")


def by_axis(
    rows: pd.DataFrame, further: Sequence[str], axis: str
) -> tuple[pd.DataFrame, dict[str, Look]]:
    """Return the marks of the lines, those of an upload together, and their looks."""
    values = rows[list(further)].apply(in_words, axis=1) if further else pd.Series("", rows.index)
    frames, looks, dashes = [], {}, defaultdict(partial(cycle, DASHES))
    varies = rows.groupby([*READ, values], dropna=False)[axis].transform("nunique") > 1
    for upload, of_upload in by_upload(rows[varies] if varies.any() else rows):
        for words, points in of_upload.groupby(values[of_upload.index], sort=False):
            name = ", ".join(filter(None, (upload.label, words)))
            looks[name] = replace(look_of(upload, next(dashes[upload.look[0]])), size=7)
            last = points[axis].eq(points[axis].max()).map({True: name, False: ""})
            frames.append(marks(points, axis, series=name, name=last))
    return pd.concat(frames), looks


def in_words(values: pd.Series) -> str:
    """Return values of axes as a legend has them, those left out that a setting does not name."""
    written = values.dropna().map(lambda of: f"{of:g}" if isinstance(of, float) else str(of))
    return setting_words(written)


TRUSTS = {
    "local": "local: holds against the server",
    "secure sum": "secure sum: trusted dealer",
    "trusted server": "trusted server: against others",
}
"""Titles of panels."""

SPLITS = (":", "-", "--", "-.")
"""Of one release under several splits of epsilon, the least for labels first."""


def trust(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against epsilon of noised releases, a panel for each of three models of trust.

    Whom a guarantee holds against differs between the panels, so that nothing joins them. In each
    it is for one sample that is replaced, its label included.

    Args:
        table: of what is released under each trust.
        svg: the figure to write.
        methods: looks of methods.
    """
    rows = to_draw(table)
    rows = rows.assign(share=(rows["epsilon_labels"] / rows["epsilon"]).fillna(0))
    frames, looks = [], {}
    for (of_trust, what), released in rows.groupby(["trust", "what"], sort=False):
        for dash, (share, points) in zip(SPLITS, released.groupby("share"), strict=False):
            name = f"{what}, {share:.0%} of ε for labels" if share else what
            first = points.iloc[0]
            line = dash if share else "--" if first["head"] == "ridge" else "-"
            if first["method"] in UPLOADING:
                looks[name] = look_of(Upload(first["message"], first["head"]), line)
            else:
                looks[name] = Look.of(shown(methods)[first["method"]], line=line)
            frames.append(marks(points, "epsilon", series=name, panel=of_trust))
    x = Scale("privacy loss ε", "log", sorted(rows["epsilon"].unique()))
    y = Scale(ACCURACY, limits=(-3, 103))
    panels = {name: Panel(x, y, title) for name, title in TRUSTS.items()}
    figure = lines(pd.concat(frames), Spec(looks, panels, (TEXT_WIDTH, 3.2), legend=4))
    save(figure, svg, rows, "Accuracy against ε under each model of trust")
