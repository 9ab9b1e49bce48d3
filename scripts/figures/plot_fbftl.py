"""Figures of FbFTL's experiments: uplink, scarce clients, loss, compression and noise.

Each function draws one from its table or its runs; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.exchanged import SELECTED, Exchanged, read_methods
from fbftl.findings.plots.kinds import bands, lines, rows
from fbftl.findings.plots.spec import (
    ACCURACY,
    PRINTED,
    Look,
    Panel,
    Scale,
    Spec,
    alongside,
    in_order,
    level,
    marks,
    named_at_ends,
    to_draw,
    with_front,
)
from fbftl.findings.published import on_front, read
from fbftl.findings.runs import mean_and_spread, read_tidy, varying
from fbftl.findings.shown import figure_labels, labelled, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.style import COLUMN_WIDTH, DIVERGED, LABEL_SIZE, NEUTRAL, TEXT_WIDTH, save
from fbftl.findings.tables import ratio
from fbftl.findings.wording import codec_words, compression_words, share_words
from fbftl.messages.channel import GILBERT_ELLIOTT
from matplotlib.figure import Figure


def uplink(
    runs: Paths, ledgers: Paths, by_seed: str, svg: str, methods: Methods, axes: Axes
) -> None:
    """Draw accuracy against the bits that clients have sent: the paper's argument in one picture.

    The gradient methods send updates round after round, so each is a line to the right. FbFTL sends
    once, before training: its accuracy rises at a fixed number of bits. Each line is the mean curve
    over seeds; its mark is what the table of methods reports, where every seed stops at its own
    epoch.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        by_seed: what each method sends by seed, beside the table of methods.
        svg: path of the svg.
        methods: the methods of the runs.
        axes: axes in which a run deviates, with their defaults.
    """
    methods_shown, exchanged = shown(methods), read_methods(runs, ledgers, axes)
    points = pd.concat([curve(exchanged[name]) for name in methods_shown], ignore_index=True)
    frames, looks = [], {}
    for name, of_method in points.groupby("method", sort=False):
        # The legend marks a method that diverged, so that its points need not.
        look, drawn = methods_shown[str(name)], of_method.drop(columns="diverged")
        label = look.figure_label + (DIVERGED if of_method["diverged"].any() else "")
        line, mark = drawn[~drawn["selected"]], drawn[drawn["selected"]]
        frames += [marks(line, "uplink", series=f"_{label}"), marks(mark, "uplink", series=label)]
        dash = "--" if name == "sfl" else "-"  # it trains as FL does, whose line is under it
        looks |= {f"_{label}": Look(look.colour, "", dash), label: Look.of(look, line=dash, size=7)}
    panel = Panel(Scale("uplink of all clients so far (bit)", "log"), Scale(ACCURACY))
    spec = Spec(looks, {"": panel}, (0.75 * TEXT_WIDTH, COLUMN_WIDTH), legend=5)
    figure = bands(pd.concat(frames), spec)
    mark_distance(figure, points[points["selected"]].set_index("method"), read_tidy(by_seed))
    save(figure, svg, points, "Accuracy by epoch against uplink")


def curve(run: Exchanged) -> pd.DataFrame:
    """Return a method's line, per epoch the bits sent so far and the accuracy, and its mark.

    Columns: method, epoch, uplink (encoded bits, mean over seeds), accuracy, spread, selected,
    diverged (seeds). The last row, alone selected, is what the table reports: means over the seeds,
    each at its own selected epoch; a seed that diverged counts as 0.
    """
    epochs = np.arange(1, run.accuracy.shape[1] + 1)
    line = {
        "method": run.method, "epoch": epochs,
        "uplink": [run.until("up", "bits", [at] * len(run.seeds)).mean() for at in epochs],
        "accuracy": run.accuracy.mean(axis=0),
        "spread": run.accuracy.std(axis=0, ddof=1) if len(run.seeds) > 1 else np.nan,
        "selected": False, "diverged": sum(run.diverged),
    }  # fmt: skip
    mark = {"method": run.method, **run.reported(), "selected": True}
    return pd.concat([pd.DataFrame(line), pd.DataFrame([mark])]).assign(seeds=len(run.seeds))


def mark_distance(figure: Figure, picked: pd.DataFrame, sent: pd.DataFrame) -> None:
    """Write how many times FbFTL's uplink FTL_c has sent when it stops, over an arrow between both.

    Args:
        figure: with everything drawn.
        picked: the marks, by method.
        sent: what each method sends by seed (`findings.exchanged`).
    """
    if not {"fbftl", "ftl_c"} <= set(picked.index):
        return
    (axes,) = figure.axes
    near, far = picked.at["fbftl", "uplink"], picked.at["ftl_c", "uplink"]
    height = axes.get_ylim()[1] + 0.02 * np.ptp(axes.get_ylim())
    axes.annotate(
        "", (near, height), (far, height), arrowprops={"arrowstyle": "<->", "color": NEUTRAL}
    )
    times = sent[(sent["method"] == "ftl_c") & (sent["until"] == SELECTED)]["times_fbftl"]
    spread = f" ± {ratio(times.std())}" if len(times) > 1 else ""
    axes.annotate(
        f"FTL$_c$ sends {ratio(times.mean())}{spread} times as much",
        (np.sqrt(near * far), height), xytext=(0, 2.5), textcoords="offset points",
        color=NEUTRAL, fontsize=LABEL_SIZE, ha="center", va="bottom",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )  # fmt: skip
    axes.set_ylim(top=height + 0.08 * np.ptp(axes.get_ylim()))


LOSSES = {"persistent": "Lost uploads stay lost", "reshuffled": "Reshuffled (public script)"}
"""Titles of panels by what a loss means."""


def scarcity(runs: str, fig8: str, svg: str, axes: Axes) -> None:
    """Draw accuracy against packet loss rate, a line per share of clients (paper, Fig. 8).

    A lost upload is lost for good; where an experiment has the public script's mask alone, it is
    that (audit row A2). Where the experiment varies methods or further axes, there is a line per
    share and values of these. The paper's points have a panel of their own, for its task is
    another.

    Args:
        runs: an experiment's tidy table.
        fig8: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    tidy = to_draw(runs, axes)
    further = varying(tidy, ("fraction", "plr", "loss"))
    table = mean_and_spread(tidy, [*further, "fraction", "plr", "loss"])
    lossy = table[table["plr"] > 0]
    of_loss = (table if lossy.empty else lossy)["loss"]
    loss = next(loss for loss in LOSSES if of_loss.eq(loss).any())
    # Without loss the two meanings are the same run.
    drawn = table[(table["loss"] == loss) | (table["plr"] == 0)]
    names = drawn["fraction"].map(share_words)
    for axis in further:
        names += ", " + drawn[axis].astype(str)
    frame = pd.concat([marks(drawn, "plr", series=names), printed_by_loss(fig8, table, 100)])
    titles = {"": LOSSES[loss], "printed": "Printed, CIFAR-10"}
    figure = by_loss(frame, titles, Scale(ACCURACY), drawn["fraction"])
    save(figure, svg, table, "Accuracy by packet loss and share of the clients")


def language_scarcity(runs: str, fig9: str, svg: str, axes: Axes) -> None:
    """Draw ROUGE-1 against packet loss rate, a line per share of clients (paper, Fig. 9).

    The paper's points have a panel of their own, for its dialogues are others.

    Args:
        runs: an experiment's tidy table.
        fig9: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    read_runs = to_draw(runs, axes)
    table = mean_and_spread(read_runs, ["fraction", "plr"], score="rouge1", name="rouge1")
    ours = marks(table, "plr", "rouge1", series=table["fraction"].map(share_words), factor=1)
    frame = pd.concat([ours, printed_by_loss(fig9, table, 1)])
    titles = {"": "This task", "printed": "Printed, SAMSum"}
    y = Scale("ROUGE-1 of test summaries (%)")
    figure = by_loss(frame, titles, y, table["fraction"])
    save(figure, svg, table, "ROUGE-1 by packet loss and share of the clients")


def printed_by_loss(figure: str, table: pd.DataFrame, factor: float) -> pd.DataFrame:
    """Return the marks of a published figure, up to the highest packet loss rate of a table."""
    points = read(figure)
    points = points[(points["series"] == "plotted") & (points["plr"] <= table["plr"].max())]
    score = points["printed"].astype(float)
    return marks(points, "plr", score, series="printed", panel="printed", factor=factor)


def by_loss(
    frame: pd.DataFrame, titles: Mapping[str, str], y: Scale, fractions: pd.Series
) -> Figure:
    """Draw scores against the packet loss rate, most clients first, beside the printed ones.

    Args:
        frame: of both panels.
        titles: of the panels.
        y: the axis of both.
        fractions: shares of the clients of the runs' marks.
    """
    ours = frame[frame["panel"] == ""].assign(fraction=fractions)
    names = ours.sort_values("fraction", ascending=False, kind="stable")["series"].unique()
    looks = in_order(list(names)) | {"printed": PRINTED}
    rates = frame.groupby("panel")["x"].unique().map(sorted)
    x = {key: Scale("packet loss rate", "packet loss", rates[key]) for key in titles}
    with_x = {key: Panel(x[key], y, title) for key, title in titles.items()}
    return bands(frame, Spec(looks, with_x, (TEXT_WIDTH, 2.8), legend=4))


def by_method(table: pd.DataFrame, methods: Methods) -> tuple[pd.Series, dict]:
    """Return what each row of a table of compressions is called in a legend, and the looks."""
    methods_shown = shown(methods)
    endings = table["feedback"].eq(False).map({True: ", no error feedback", False: ""})
    series = table["method"].map(figure_labels(methods_shown)) + endings
    looks = {
        look.figure_label + ending: Look.of(look, line="", filling=filling)
        for look in methods_shown.values()
        for ending, filling in (("", ""), (", no error feedback", "white"))
    }
    return series, looks


ROW = 0.16
"""Inches of a row."""


def compression(table: str, svg: str, methods: Methods) -> None:
    """Draw the accuracy of every compression that was run, a row each (paper, Table V).

    A panel for each share of the clients that settings were run on; methods below each other, each
    with most bits first. Mean and standard deviation stand behind each row, for a bar ends at 100.
    """
    drawn = to_draw(table)
    series, looks = by_method(drawn, methods)
    panels, frames, x = {}, [], Scale(ACCURACY, "score")
    for share, of_share in drawn.groupby("fraction"):
        of_share = labelled(of_share, methods, ["method", "q", "r"], [True, False, False])
        # Methods are a row apart.
        is_next = of_share["method"].ne(of_share["method"].shift())
        places = np.arange(len(of_share)) + is_next.cumsum()
        words = of_share.apply(compression_words, axis=1)
        panels[share] = Panel(x, Scale("", ticks=dict(zip(places, words, strict=True))),
                              share_words(share))  # fmt: skip
        across = marks(of_share, places, series=series[of_share.index], panel=share)
        frames.append(across.rename(columns={"x": "y", "y": "x"}))
    frame = pd.concat(frames)
    size = (TEXT_WIDTH, ROW * (frame.groupby("panel")["y"].max() + 3).sum() + 0.9)
    figure = rows(frame, Spec(looks, dict(sorted(panels.items(), reverse=True)), size, 1, legend=6))
    for axes, of_share in zip(figure.axes, sorted(panels, reverse=True), strict=True):
        for mark in frame[frame["panel"] == of_share].itertuples():
            spread = 100 * drawn.at[mark.Index, "spread"]
            words = f"{mark.x:.1f} ± {spread:.1f}".removesuffix(" ± nan")
            axes.text(1.01, mark.y, words, transform=axes.get_yaxis_transform(),
                      fontsize=LABEL_SIZE, va="center")  # fmt: skip
    save(figure, svg, drawn, "Accuracy under compression of messages")


def rate_distortion(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against the measured uplink of all compressions.

    A panel for each share of the clients that settings were run on. Accuracy and uplink are those
    at each seed's selected epoch, as in the table.
    """
    points = marked(to_draw(table))
    series, looks = by_method(points, methods)
    names = points.apply(lambda row: codec_words(row["q"], row["r"]), axis=1)
    names = names.where(points["pareto"], "")
    frame = marks(points, "uplink_bits", series=series, panel=points["fraction"], name=names)
    shares = sorted(points["fraction"].unique(), reverse=True)
    x = Scale("uplink of all clients up to the selected epoch (bit)", "log")
    panels = {share: Panel(x, Scale(ACCURACY, "score"), share_words(share)) for share in shares}
    frame, looks = with_front(frame, points["pareto"], looks)
    spec = Spec(looks, panels, (0.9 * TEXT_WIDTH, 2.7 * len(shares) + 0.5), 1, legend=6)
    figure = lines(frame, spec)
    save(figure, svg, points, "Accuracy against uplink of compressed messages")


def marked(points: pd.DataFrame) -> pd.DataFrame:
    """Return the points with whether they are on the Pareto front of their share of the clients.

    Of points that coincide only the first is.
    """
    fronts = []
    for _, group in points.groupby("fraction"):
        distinct = group.drop_duplicates(["uplink_bits", "accuracy"])
        fronts += [*distinct.index[on_front(distinct["uplink_bits"], distinct["accuracy"])]]
    return points.assign(pareto=points.index.isin(fronts))


def packet_loss(table: str, svg: str, methods: Methods) -> None:
    """Draw packet loss by ledger beside its formula, and what it does to accuracy.

    A row for each setting that loses blocks: on the left the packets that are lost, on the right
    the difference to the method's own run without loss. Its bars reach to Student's bounds, so that
    a bar across zero says that nothing was seen.
    """
    table_rows, methods_shown = to_draw(table), shown(methods)
    lossy = labelled(table_rows[table_rows["blr"] > 0], methods, ["method"])
    lossy = lossy.reset_index(drop=True)
    labels = lossy["method"].map(figure_labels(methods_shown))
    formula = f"predicted (Eq. 18; bursts: {GILBERT_ELLIOTT})"
    by_ledger = pd.DataFrame({"y": lossy.index, "series": labels, "panel": "lost", "diverged": 0})
    by_ledger = by_ledger.assign(x=100 * lossy["plr_ledger"], name="")
    by_formula = by_ledger.assign(x=100 * lossy["plr_formula"], series=formula)
    ends = {"x": "difference", "low": "difference_lower", "high": "difference_upper"}
    cost = by_ledger.assign(panel="cost", diverged=lossy["diverged"])
    cost = cost.assign(**{end: 100 * lossy[column] for end, column in ends.items()})
    frame = pd.concat([by_formula, by_ledger, cost], ignore_index=True)
    frame = frame.fillna({"low": frame["x"], "high": frame["x"]})
    y = Scale("", ticks=dict(enumerate(labels + ": " + lossy.apply(loss_words, axis=1))))
    lost = Scale("packet loss rate (%),\nlog scale from 0.1 on", "symlog", (0, 0.1, 1, 10, 100),
                (-0.03, 180))  # fmt: skip
    points = Scale("accuracy with loss minus\nwithout (points)", reference=0)
    panels = {
        "lost": Panel(lost, y, "Packets lost"),
        "cost": Panel(points, y, "Difference, one-sided 95% bounds"),
    }
    looks = {formula: Look(NEUTRAL, "|", "", size=11)}
    looks |= {look.figure_label: Look.of(look, line="") for look in methods_shown.values()}
    size = (TEXT_WIDTH, 0.17 * len(lossy) + 1.2)
    figure = rows(frame, Spec(looks, panels, size, legend=6))
    save(figure, svg, table_rows, "Packet loss and its cost in accuracy")


def loss_words(row: Any) -> str:
    """Return how the figure writes the loss of a setting."""
    parts = {
        f"{100 * row['blr']:g}% of blocks": True,
        f"bursts of {row['burst']:g}": row["burst"] > 1,
        f"up to {row['retransmissions']:g} repeats": row["retransmissions"] > 0,
        share_words(row["fraction"]): row["fraction"] < 1,
    }
    return ", ".join(words for words, is_told in parts.items() if is_told)


UNITS = {"sample": "a sample's features, server not trusted", "client": "a client, server trusted"}
"""What a guarantee is for, and whether the server sees what has no noise yet."""

RIDGE = "ridge regression on FbFTL's noised features"
"""Another head of the same uploads, where it was measured."""


def privacy(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against epsilon, a panel per samples per client K (paper, Fig. 12).

    Labels are as they are; a setting that diverged has accuracy 0.
    """
    points, methods_shown = to_draw(table, {"ridge_accuracy": None}), shown(methods)
    points = points[points["label_epsilon"].isna()]
    labels = points["method"].map(figure_labels(methods_shown))
    noisy, clean = points[points["epsilon"].notna()], points[points["epsilon"].isna()]
    series = labels[noisy.index] + " (" + noisy["unit"].map(UNITS) + ")"
    frame = marks(noisy, "epsilon", series=series, panel=noisy["samples_per_client"])
    looks = dict(zip(series, map(Look.of, noisy["method"].map(methods_shown)), strict=True))
    solved = noisy.dropna(subset="ridge_accuracy").drop(columns=["spread", "diverged"])
    of_sizes = solved["samples_per_client"]
    by_ridge = marks(solved, "epsilon", "ridge_accuracy", series=RIDGE, panel=of_sizes)
    frame, looks[RIDGE] = pd.concat([frame, by_ridge]), Look("#D55E00", "o", "--", "white")
    frame, levels = alongside(frame, list(looks), factor=1.03), []
    for index, row in clean.iterrows():
        across, name = 100 * row["accuracy"], f"{labels[index]} without noise"
        levels.append(level(across, frame, name, panel=row["samples_per_client"]))
        looks[name] = Look(NEUTRAL, "", ":")
    delta = f"{noisy['delta'].max():.0e}".replace("e-0", "e-")
    x = Scale(f"ε at δ = {delta}", "log", sorted(noisy["epsilon"].unique()))
    y = Scale(ACCURACY, limits=(-3, 103))
    sizes = sorted(points["samples_per_client"].unique())
    panels = {size: Panel(x, y, f"K = {size:.0f} samples per client") for size in sizes}
    spec = Spec(looks, panels, (TEXT_WIDTH, 0.42 * TEXT_WIDTH), legend=2)
    figure = lines(pd.concat([frame, *levels]), spec)
    save(figure, svg, points, "Accuracy under (ε, δ)-differential privacy")


DRAWS = {"once": ("-", ""), "redrawn": ("--", ", anew each epoch")}
"""Line and what follows a method's name, by when noise is drawn."""


def noise(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against the paper's relative noise, drawn once per upload or every epoch."""
    points, methods_shown = plotted_noise(to_draw(table)), shown(methods)
    looks, series = {}, []
    for method, draw in zip(points["method"], points["noise_draw"], strict=True):
        look, (line, ending) = methods_shown[method], DRAWS[draw]
        series.append(look.figure_label + ending)
        looks[series[-1]] = Look.of(look, line=line)
    frame = named_at_ends(marks(points, "sigma", series=series).reset_index(drop=True))
    words = "noise σ relative to each upload's\nrange and spread (no guarantee)"
    panel = Panel(Scale(words), Scale(ACCURACY, limits=(0, 103)))
    size = (1.25 * COLUMN_WIDTH, 0.8 * COLUMN_WIDTH)
    save(bands(frame, Spec(looks, {"": panel}, size)), svg, points, "Accuracy under relative noise")


def plotted_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw; without noise both ways of drawing it are the same run."""
    scores = ["sigma", "accuracy", "spread", "seeds", "diverged"]
    columns = ["method", "noise_draw", *scores]
    pairs = table[["method", "noise_draw"]].drop_duplicates()
    clean = table.loc[table["sigma"] == 0, ["method", *scores]]
    noisy = table.loc[table["sigma"] > 0, columns]
    return pd.concat([pairs.merge(clean, on="method"), noisy])[columns].sort_values(columns[:3])
