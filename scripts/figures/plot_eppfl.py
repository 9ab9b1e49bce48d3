"""Figures of EPPFL: accuracy by round, by ε and by uplink, and what a client spends.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import published
from fbftl.findings.plots.kinds import bands, lines
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
)
from fbftl.findings.runs import mean_and_spread, read_tidy
from fbftl.findings.shown import figure_labels, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save
from fbftl.findings.wording import axes_of, setting_words
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.models.cost.compute import training_products
from fbftl.models.cost.layers import Layer, read_network
from fbftl.models.cost.payload import printed_uplink_bytes
from fbftl.papers.eppfl.claims import SplitSetting, setup_of
from fbftl.papers.record import PaperRecord


def epochs(runs: str, series: str, svg: str, axes: Axes) -> None:
    """Draw accuracy by round, a line per number of local epochs (paper eppfl, Fig. 2).

    Args:
        runs: an experiment's tidy table.
        series: its learning curves.
        svg: path of the svg.
        axes: the number of local epochs, with its default.
    """
    points = curves(to_draw(runs, axes), read_tidy(series))
    names = [f"E = {epochs:.0f}" for epochs in sorted(points["local_epochs"].unique())]
    series_of = points["local_epochs"].map("E = {:.0f}".format)
    frame = named_at_ends(marks(points, "step", series=series_of))
    panel = Panel(Scale("round"), Scale(ACCURACY))
    figure = bands(frame, Spec(in_order(names, marker=""), {"": panel}))
    save(figure, svg, points, "Accuracy by local epochs")


def curves(runs: pd.DataFrame, series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over seeds by local epochs and round."""
    by_setting = runs.drop_duplicates("setting").set_index("setting")["local_epochs"]
    accuracies = series[series["series"] == "test_accuracy"]
    by_round = accuracies.assign(local_epochs=accuracies["setting"].map(by_setting)).groupby(
        ["local_epochs", "step"]
    )["value"]
    means = by_round.agg(accuracy="mean", spread="std", seeds="count")
    return means.fillna({"spread": 0.0}).reset_index()


SENSITIVITIES = {"channel_maximum": "Channel maximum (no guarantee)", "clip": "Clipped"}
"""Title of each sensitivity's panel."""

INFERENCES = {"accuracy": "clean inference", "protected": "protected inference"}

WHOLE = {"keep_activations": 1.0, "keep_gradients": 1.0, "local_epochs": 2, "aggregation": "open"}
"""Settings of the figure, beside noise: nothing is dropped."""


def privacy(table: str, printed: str, svg: str) -> None:
    """Draw accuracy against the ε of one activation, both inferences (paper eppfl, Fig. 4).

    One panel per sensitivity that was run; the paper's points for its own task have one of their
    own.

    Args:
        table: EPPFL's table.
        printed: the published accuracies.
        svg: path of the svg.
    """
    rows = of_noise(to_draw(table))
    noisy, clean = rows[rows["epsilon"].notna()], rows[rows["epsilon"].isna()]
    ran = [name for name in SENSITIVITIES if rows["laplace_sensitivity"].eq(name).any()]
    kinds = noisy["laplace_sensitivity"]
    frames = [
        marks(noisy, "epsilon", score, series=name, panel=kinds)
        for score, name in INFERENCES.items()
    ]
    frame = alongside(pd.concat(frames), list(INFERENCES.values()), factor=1.15)
    levels = [
        level(100 * height, frame, "without noise", panel=name)
        for name in ran
        for height in clean["accuracy"][:1]
    ]
    paper = of_paper(published.read(printed))
    theirs = marks(paper, "epsilon", series="printed", panel="printed", factor=1)
    x = Scale("ε of one activation", "log", sorted(noisy["epsilon"].unique()))
    y = Scale(ACCURACY, limits=(-3, 103))
    panels = {name: Panel(x, y, SENSITIVITIES[name]) for name in ran}
    panels["printed"] = Panel(x, y, "Printed, CIFAR-10")
    looks = dict(zip(INFERENCES.values(), (Look("#0072B2"), Look("#D55E00", "s")), strict=True))
    looks |= {"without noise": Look(NEUTRAL, "", ":"), "printed": PRINTED}
    spec = Spec(looks, panels, (TEXT_WIDTH, 2.5), legend=4)
    figure = lines(pd.concat([frame, *levels, theirs]), spec)
    save(figure, svg, rows, "Accuracy under noise on activations")


def of_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: the whole of everything is sent, one cut."""
    keep = table["client_part"].isna() & (table[[*WHOLE]] == pd.Series(WHOLE)).all(axis=1)
    return table[keep].sort_values(["laplace_sensitivity", "epsilon"], ignore_index=True)


def of_paper(printed: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's accuracies by ε; DPFL's number is its ε."""
    here = printed[(printed["quantity"] == "accuracy") & printed["setting"].str.match(r"DPFL\d+$")]
    epsilon = here["setting"].str.removeprefix("DPFL").astype(float)
    return pd.DataFrame({"epsilon": epsilon, "accuracy": here["printed"].astype(float)})


SUBJECT, BASELINE = "eppfl", "fedavg"

PART, NOISY = ", part is sent", ", noise on activations"
"""What follows the names of EPPFL's settings, which are hollow and grey."""

TELLING = ("local_epochs", "clients")
"""Axes whose values are written at EPPFL's other settings, of other clients the best alone."""

SELECTING = ("keep_activations", "keep_gradients")
"""Axes whose values are written at the setting that sends least."""


def uplink(runs: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against what all clients have sent: EPPFL's settings beside other methods.

    FbFTL, FedAvg, and EPPFL's settings that send everything without noise are named, the one that
    sends least by what it keeps, and the most accurate one. Lines through FedAvg part what beats it
    from the others.

    Args:
        runs: an experiment's tidy table.
        svg: path of the svg.
        methods: the methods there.
    """
    read, methods_shown = to_draw(runs), shown(methods)
    read = read.assign(uplink=read["uplink_bits"] / 8e6)
    points = mean_and_spread(read, ["method", "setting"], measured=["uplink"])
    labels = points["method"].map(figure_labels(methods_shown))
    ours = points[points["method"] == SUBJECT]
    names = labels.mask(points.index.isin(ours.index), "")
    if len(ours):
        least = ours["uplink"].idxmin()
        names[least] = axes_in_words(ours.at[least, "setting"], SELECTING)
    of_kind = [points["setting"].str.contains(axis) for axis in ("epsilon=", "keep_")]
    for row in ours[~of_kind[0] & ~of_kind[1]].itertuples():
        if "clients" not in axes_of(row.setting) or row.Index == ours["accuracy"].idxmax():
            names[row.Index] = axes_in_words(row.setting, TELLING)
    series, looks = labels + np.select(of_kind, [NOISY, PART], ""), {}
    for look in methods_shown.values():
        for ending, filling in {"": "", PART: "white", NOISY: "#BBBBBB"}.items():
            looks[look.figure_label + ending] = Look.of(look, line="", filling=filling, size=6.5)
    baseline = points[points["method"] == BASELINE]
    x = Scale("uplink of all clients (MB)", "log 1-2-5", margin=0.15,
              reference=baseline["uplink"].min())  # fmt: skip
    y = Scale(f"{ACCURACY}, clean inference", "score",
             reference=100 * baseline["accuracy"].max())  # fmt: skip
    frame = marks(points, "uplink", series=series, name=names)
    spec = Spec(looks, {"": Panel(x, y)}, (TEXT_WIDTH, 3.6), legend=4)
    save(lines(frame, spec), svg, points, "Accuracy against uplink of split training")


def axes_in_words(setting: str, axes: Sequence[str]) -> str:
    """Return in words what a setting says of some axes."""
    return setting_words({axis: of for axis, of in axes_of(setting).items() if axis in axes})


FEDAVG, HALVED = "FedAvg", "EPPFL: half is sent"

PAPER, RUNS = "The paper's size, by formula", "The runs here, bytes as sent"
"""The panels."""


VANILLA2 = {"method": "eppfl", "network": "cnn", "local_epochs": 2}

EPPFL = VANILLA2 | {
    "mechanism": "laplace", "epsilon": 5.0, "laplace_sensitivity": "channel_maximum",
    "keep_activations": 0.5, "keep_gradients": 0.5,
}  # fmt: skip

NAMED = {
    "all is sent, 2 local epochs": VANILLA2,
    "5 local epochs": VANILLA2 | {"local_epochs": 5},
    "10 local epochs": VANILLA2 | {"local_epochs": 10},
    HALVED: EPPFL,
}
"""Axes of Vanilla2, Vanilla5, Vanilla10 and EPPFL, as the paper calls them, by their names here."""


def cost(table: str, networks: Paths, setup: str, script: str, svg: str, methods: Methods) -> None:
    """Draw what a client multiplies and sends up in a round, beside FedAvg: five named points.

    One panel has the paper's size by closed forms, the other the bytes that the task's ledgers
    have. Both axes are shares of what FedAvg's client multiplies and sends, which trains the whole
    network.

    Args:
        table: EPPFL's table, with every setting's bytes by ledger.
        networks: descriptions of the networks that its runs train.
        setup: the paper's setting.
        script: what its public code adds to that.
        svg: path of the svg.
        methods: those of the experiment.
    """
    setting = setup_of(PaperRecord.of([setup, script]))
    runs = to_draw(table)
    points = pd.concat([by_closed_form(setting), by_ledger(runs, networks, setting.epochs)])
    points = points.reset_index(drop=True)
    methods_shown = shown(methods)
    looks = {
        name: Look.of(methods_shown[name], line="", size=7) if name in methods_shown
        else Look(line="", size=7) for name in (BASELINE, SUBJECT)
    }  # fmt: skip
    series = points["name"].eq(FEDAVG).map({True: BASELINE, False: SUBJECT})
    at = 100 * points["multiplications"]
    frame = marks(points, at, "uplink", series=series, panel=points["panel"], name=points["name"],
                  factor=1)  # fmt: skip
    x = Scale("multiplications by a client (% of FedAvg's)", "log plain", margin=0.15)
    y = Scale("uplink of a client (times FedAvg's)", "log 1-2-5", margin=0.15, reference=1)
    panels = {title: Panel(x, y, title) for title in (PAPER, RUNS)}
    figure = lines(frame, Spec(looks, panels, (TEXT_WIDTH, 3.2)))
    save(figure, svg, points, "Multiplications and uplink of a client, relative to FedAvg")


def by_closed_form(setting: SplitSetting) -> pd.DataFrame:
    """Return the points at the paper's size: activations and labels as Sec. 2.3 counts them."""
    weights = FLOAT_BYTES * setting.parameters
    front = FLOAT_BYTES * setting.client_parameters
    uplinks = {}
    for name, axes in NAMED.items():
        share, width = axes.get("keep_activations", 1.0), setting.cut.width
        sent = printed_uplink_bytes(setting.samples, axes["local_epochs"], share, width)
        uplinks[name] = (front + sent) / weights
    return _points(PAPER, uplinks, setting.layers[:1], setting.layers, setting.epochs)


def by_ledger(runs: pd.DataFrame, networks: Paths, epochs: int) -> pd.DataFrame:
    """Return the points of the runs, of those settings that have a name here and were run.

    Args:
        runs: EPPFL's table.
        networks: paths of descriptions, cut where clients end.
        epochs: local epochs of FedAvg.
    """
    sent = runs.set_index("setting")["over_fedavg"]
    uplinks = {
        name: sent[setting]
        for name, axes in NAMED.items()
        for setting in runs["setting"]
        if axes_of(setting) == {axis: str(value) for axis, value in axes.items()}
    }
    described = [path for path in networks if Path(path).stem == VANILLA2["network"]]
    if not uplinks or not described:
        return pd.DataFrame()
    network = read_network(described[0])
    return _points(RUNS, uplinks, network.extractor, network.layers, epochs)


def _points(
    panel: str, uplinks: Mapping[str, Any], front: Sequence[Layer], layers: Sequence[Layer],
    epochs: int,
) -> pd.DataFrame:  # fmt: skip
    """Return a row per named point of a panel, FedAvg's own with 1 and 1 among them.

    Args:
        panel: which one.
        uplinks: bytes that a client sends up, over FedAvg's, by name.
        front: layers that a client multiplies through, of those of the whole network.
        layers: these, which FedAvg's client trains.
        epochs: local epochs of FedAvg.
    """
    share = training_products(front) / training_products(layers)
    rows = [(panel, FEDAVG, 1.0, 1.0)]
    for name, uplink in uplinks.items():
        rows.append((panel, name, share * NAMED[name]["local_epochs"] / epochs, float(uplink)))
    return pd.DataFrame(rows, columns=["panel", "name", "multiplications", "uplink"])
