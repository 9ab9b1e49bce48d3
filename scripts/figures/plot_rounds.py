"""Figures of training by rounds: accuracy against what a client has sent.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings.exchanged import Exchanged, read_exchanged
from fbftl.findings.plots.frames import marks
from fbftl.findings.plots.kinds import lines
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, in_order
from fbftl.findings.shown import shown
from fbftl.findings.style import TEXT_WIDTH, save
from fbftl.findings.until import accuracy, named


def rounds(
    runs: Sequence[str], ledgers: Sequence[str], svg: str, axes: Mapping[str, Any],
    methods: list[dict[str, Any]],
) -> None:  # fmt: skip
    """Draw test accuracy after each round against the bits that a client has sent by then.

    What is sent once is a mark, at its chosen epoch.

    Args:
        runs: run files of an experiment.
        ledgers: theirs, in the same order.
        svg: the figure to write.
        axes: those of training by rounds, with their defaults.
        methods: the methods shown, with their labels and marks.
    """
    by_name = shown(methods)
    read = [read_exchanged(*paths, axes) for paths in zip(runs, ledgers, strict=True)]
    names = {id(run): named(run, by_name) for run in read}
    once = [run for run in read if by_name[run.method].sends == "once"]
    others = [run for run in read if run not in once]
    looks = in_order([names[id(run)] for run in others], marker="")
    looks |= {names[id(run)]: Look.of(by_name[run.method], line="") for run in once}
    rows = pd.concat([curve(run, run in once).assign(name=names[id(run)]) for run in read])
    frame = marks(rows, "kilobytes", series=rows["name"])
    panel = Panel(Scale("uplink per client (kB)", "log"), Scale(ACCURACY, "score"))
    spec = Spec(looks, {"": panel}, (TEXT_WIDTH, 4.2), legend=1)
    save(lines(frame, spec), svg, rows, "Accuracy against uplink of training by rounds")


def curve(run: Exchanged, once: bool) -> pd.DataFrame:
    """Return mean uplink of a client (kB), accuracy and downlink at each point over seeds."""
    scores = accuracy(run)
    clients = [repetition["clients"] for repetition in run.repetitions]
    rows = []
    for point in range(1 if once else 0, 2 if once else scores.shape[1]):
        at = [point] * len(run.seeds)
        up, down = (run.until(way, "bits", at) / clients / 8e3 for way in ("up", "down"))
        score = run.accuracies if once else scores[:, point]
        rows.append((point, up.mean(), down.mean(), pd.Series(score).mean()))
    table = pd.DataFrame(rows, columns=["round", "kilobytes", "kilobytes_down", "accuracy"])
    return table[table["kilobytes"] > 0]
