"""Figures of training by rounds: accuracy against what a client has sent.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from itertools import cycle

import numpy as np
import pandas as pd
from fbftl.findings.exchanged import Exchanged, accuracy, names, read_all
from fbftl.findings.plots.kinds import bands
from fbftl.findings.plots.scales import CROWDED_ABOVE
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, marks
from fbftl.findings.shown import shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.story import plain
from fbftl.findings.style import TEXT_WIDTH, save
from fbftl.findings.uploads import COLOURS
from fbftl.ground.floats import FLOAT_BITS

NEAR = 5
"""Points of accuracy below the best that a panel of its own shows, where no scale is stretched."""

PACE = 1.6
"""A curve has the first round of each further power of it, and the last."""

TUNED = ("client_rate", "local_epochs", "clients_per_round", "server_optimiser", "server_rate")
"""Axes that the legend leaves to the table."""


def rounds(runs: Paths, ledgers: Paths, svg: str, axes: Axes, methods: Methods) -> None:
    """Draw test accuracy after some rounds against the bits that a client has sent by then.

    Bands and bars are one standard deviation over seeds. What is sent once is a mark, at its chosen
    epoch. What is compressed is hollow.

    Args:
        runs: run files of an experiment.
        ledgers: theirs, in the same order.
        svg: the figure to write.
        axes: those of training by rounds, with their defaults.
        methods: the methods shown, with their labels and marks.
    """
    by_name = shown(methods)
    read = read_all(runs, ledgers, axes)
    labels = {name: method.figure_label for name, method in by_name.items()}
    whole, short = names(read, labels), names(read, labels, TUNED)
    short = short if len({*short}) == len(short) else whole
    curves, looks, markers = [], {}, cycle("D^vPXd")
    for name, legend, run in zip(whole, short, read, strict=True):
        method, values = by_name[run.method], run.setting.values
        once = method.sends == "once"
        curves.append(curve(run, once).assign(name=name, legend=legend))
        compressed = values["bits"] != FLOAT_BITS or values["keep"] != 1
        # Solved starts are green.
        colour = COLOURS["statistics"] if values["start"] == "means" else method.colour
        marker = method.marker if values["start"] == "random" else next(markers)
        line, size = ("", 8) if once else ("--" if compressed else "-", 4.5)
        looks[legend] = Look(colour, marker, line, "white" if compressed else "", size=size)
    rows = pd.concat(curves, ignore_index=True)
    power = np.floor(np.log(rows["round"].clip(lower=1)) / np.log(PACE)).groupby(rows["name"])
    rows = rows[power.diff().ne(0) | ~rows.duplicated("name", keep="last")]
    # Marks are drawn over lines.
    looks = dict(sorted(looks.items(), key=lambda of_name: of_name[1].line == ""))
    frame = marks(rows, "kilobytes", series=rows["legend"])
    x, best = "uplink per client (kB)", frame["y"].max()
    titles = {"": "", "near": f"Marks within {NEAR} points of the best"}
    if best < CROWDED_ABOVE:  # no scale is stretched there
        titles[""] = "All marks"
        frame = pd.concat([frame, frame[frame["y"] > best - NEAR].assign(panel="near")])
    panels = {
        name: Panel(Scale(x, "log plain"), Scale(ACCURACY, "score"), title)
        for name, title in titles.items()
    }
    spec = Spec(looks, panels, (TEXT_WIDTH, 4.8), legend=1)
    numbers = rows.drop(columns="legend").assign(name=rows["name"].map(plain))
    save(bands(frame, spec), svg, numbers, "Accuracy against uplink of training by rounds")


def curve(run: Exchanged, once: bool) -> pd.DataFrame:
    """Return a client's uplink (kB), downlink and accuracy at each point, means over seeds."""
    scores = accuracy(run)
    clients = [repetition["clients"] for repetition in run.repetitions]
    rows = []
    for point in range(1 if once else 0, 2 if once else scores.shape[1]):
        at = [point] * len(run.seeds)
        up, down = (run.until(way, "bits", at) / clients / 8e3 for way in ("up", "down"))
        score = run.accuracies if once else scores[:, point]
        rows.append((point, up.mean(), down.mean(), *pd.Series(score).agg(["mean", "std"])))
    columns = ["round", "kilobytes", "kilobytes_down", "accuracy", "spread"]
    table = pd.DataFrame(rows, columns=columns).assign(seeds=len(run.seeds))
    return table[table["kilobytes"] > 0]
