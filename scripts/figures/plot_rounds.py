"""Figures of training by rounds: accuracy against what a client has sent.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from itertools import cycle

import pandas as pd
from fbftl.findings.exchanged import Exchanged, accuracy, names, read_exchanged
from fbftl.findings.plots.kinds import bands
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, marks
from fbftl.findings.shown import shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.story import plain
from fbftl.findings.style import TEXT_WIDTH, save
from fbftl.findings.uploads import COLOURS
from fbftl.ground.floats import FLOAT_BITS

BELOW_BEST = 20
"""Per cents of accuracy that are shown below the best."""


def rounds(runs: Paths, ledgers: Paths, svg: str, axes: Axes, methods: Methods) -> None:
    """Draw test accuracy after each round against the bits that a client has sent by then.

    Bands and bars are one standard deviation over seeds. What is sent once is a mark, at its chosen
    epoch.

    Args:
        runs: run files of an experiment.
        ledgers: theirs, in the same order.
        svg: the figure to write.
        axes: those of training by rounds, with their defaults.
        methods: the methods shown, with their labels and marks.
    """
    by_name = shown(methods)
    read = [read_exchanged(*paths, axes) for paths in zip(runs, ledgers, strict=True)]
    labels = {name: method.figure_label for name, method in by_name.items()}
    curves, looks, broken = [], {}, {}
    for name, run in zip(names(read, labels), read, strict=True):
        method, values = by_name[run.method], run.setting.values
        once = method.sends == "once"
        curves.append(curve(run, once).assign(name=name))
        # Compressed ones are broken or hollow, solved starts green.
        compressed = values["bits"] != FLOAT_BITS or values["keep"] != 1
        colour = COLOURS["statistics"] if values["start"] == "means" else method.colour
        dashes = broken.setdefault(colour, cycle(("--", ":", "-.")))
        looks[name] = Look(colour, "", next(dashes) if compressed else "-")
        if once:
            looks[name] = Look.of(method, line="", filling="white" if compressed else "", size=8)
    rows = pd.concat(curves, ignore_index=True)
    # Marks are drawn over lines.
    looks = dict(sorted(looks.items(), key=lambda of_name: of_name[1].marker != ""))
    frame = marks(rows, "kilobytes", series=rows["name"])
    bottom = frame["y"].max() - BELOW_BEST
    fewest = frame.loc[frame["y"] > bottom, "x"].min()
    x = Scale("uplink per client (kB)", "log plain", limits=(0.8 * fewest, None))
    panel = Panel(x, Scale(ACCURACY, limits=(bottom, None)))
    spec = Spec(looks, {"": panel}, (TEXT_WIDTH, 4.8), legend=1)
    numbers = rows.assign(name=rows["name"].map(plain))
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
    table = pd.DataFrame(rows, columns=columns)
    return table[table["kilobytes"] > 0]
