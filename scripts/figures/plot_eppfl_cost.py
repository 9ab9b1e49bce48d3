"""Plot what a client of EPPFL multiplies and sends up in a round, beside FedAvg: five named points.

One panel has the paper's size by closed forms, the other the bytes that the task's ledgers have.
Both axes are shares of what FedAvg's client multiplies and sends, which trains the whole network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.cost.compute import training_products
from fbftl.cost.layers import Layer, read_network
from fbftl.cost.split import printed_uplink_bytes
from fbftl.findings import published
from fbftl.findings.marks import PointName, name_points
from fbftl.findings.shown import shown
from fbftl.findings.story import Story, percent, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, edged, save, use_style
from fbftl.findings.tables import ratio
from fbftl.findings.wording import axes_of
from fbftl.ground.csv_tables import read_table
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.papers.eppfl.claims import EPPFL, VANILLA2
from fbftl.papers.eppfl.published import SplitSetting, setup_of

if TYPE_CHECKING:
    from fbftl.findings.shown import ShownMethod
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEDAVG, SUBJECT = "FedAvg", "EPPFL: half is sent"

PAPER, RUNS = "the paper's size, by closed forms", "the runs here, bytes by ledger"
"""The panels."""

MARKER = 7
"""Points of a marker, of which there are few."""


@dataclass(frozen=True)
class Named:
    """A setting that has a name in the figure.

    axes: its axes, as sentences of the paper name them.
    """

    name: str
    axes: Mapping[str, Any]

    @property
    def epochs(self) -> int:
        """E, local epochs."""
        return self.axes["local_epochs"]

    @property
    def share(self) -> float:
        """Share of the activations that clients send."""
        return self.axes.get("keep_activations", 1.0)

    @property
    def deviations(self) -> dict[str, str]:
        """Its axes as the name of its run has them."""
        return {axis: str(value) for axis, value in self.axes.items() if axis != "method"}


NAMED = (
    Named("all is sent, 2 local epochs", VANILLA2),
    Named("5 local epochs", VANILLA2 | {"local_epochs": 5}),
    Named("10 local epochs", VANILLA2 | {"local_epochs": 10}),
    Named(SUBJECT, EPPFL),
)
"""Vanilla2, Vanilla5, Vanilla10 and EPPFL, as the paper calls them."""


def main(
    table: str, networks: Sequence[str], setup: str, script: str, svg: str,
    methods: list[dict[str, Any]],
) -> None:  # fmt: skip
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        table: EPPFL's table, with every setting's bytes by ledger.
        networks: descriptions of the networks that its runs train.
        setup: the paper's setting.
        script: what its public code adds to that.
        svg: path of the svg.
        methods: those of the experiment.
    """
    use_style()
    setting = published_setting(setup, script)
    runs = with_rows(read_table(table), table)
    points = pd.concat([by_closed_form(setting), by_ledger(runs, networks, setting.epochs)])
    points = points.reset_index(drop=True)
    save(draw(points, shown(methods)), svg, points, story(points))


def published_setting(setup: str | Path, script: str | Path) -> SplitSetting:
    """Return the paper's setting of its two published tables."""
    return setup_of(published.read(setup), published.read(script))


def by_closed_form(setting: SplitSetting) -> pd.DataFrame:
    """Return the points at the paper's size: activations and labels as Sec. 2.3 counts them."""
    weights = FLOAT_BYTES * setting.parameters
    front = FLOAT_BYTES * setting.client_parameters
    uplinks = {
        named.name: (
            front
            + printed_uplink_bytes(setting.samples, named.epochs, named.share, setting.cut.width)
        )
        / weights
        for named in NAMED
    }
    return _points(PAPER, uplinks, multiplied(setting.layers[:1], setting.layers), setting.epochs)


def by_ledger(runs: pd.DataFrame, networks: Sequence[str], epochs: int) -> pd.DataFrame:
    """Return the points of the runs, of those settings that have a name here and were run.

    Args:
        runs: EPPFL's table.
        networks: paths of descriptions, cut where clients end.
        epochs: local epochs of FedAvg.
    """
    by_axes = {setting: axes_of(setting) for setting in runs["setting"]}
    sent = runs.set_index("setting")["over_fedavg"]
    uplinks = {
        named.name: float(sent[setting])
        for named in NAMED
        for setting, axes in by_axes.items()
        if axes == named.deviations
    }
    name = VANILLA2["network"]
    described = [path for path in networks if Path(path).stem == name]
    if not uplinks or not described:
        return pd.DataFrame()
    network = read_network(described[0])
    return _points(RUNS, uplinks, multiplied(network.extractor, network.layers), epochs)


def multiplied(front: Sequence[Layer], layers: Sequence[Layer]) -> float:
    """Return what a client multiplies in an epoch through its first layers, over all layers'."""
    return training_products(front) / training_products(layers)


def _points(
    panel: str, uplinks: Mapping[str, Any], multiplications: float, epochs: int
) -> pd.DataFrame:
    """Return a row per named point of a panel, FedAvg's own with 1 and 1 among them.

    Args:
        panel: which one.
        uplinks: bytes that a client sends up, over FedAvg's, by name.
        multiplications: of a client in an epoch, over FedAvg's.
        epochs: local epochs of FedAvg.
    """
    rows = [
        {
            "panel": panel,
            "name": named.name,
            "multiplications": multiplications * named.epochs / epochs,
            "uplink": float(uplinks[named.name]),
        }
        for named in NAMED
        if named.name in uplinks
    ]
    fedavg = {"panel": panel, "name": FEDAVG, "multiplications": 1.0, "uplink": 1.0}
    return pd.DataFrame([fedavg, *rows])


def story(points: pd.DataFrame) -> Story:
    """Return what EPPFL's client multiplies and sends beside FedAvg's, in each panel."""
    subject = points[points["name"] == SUBJECT].set_index("panel")
    amounts = {
        panel: f"multiplies {percent(row['multiplications'])} of what FedAvg's does and sends "
        f"{ratio(row['uplink'])} times as much"
        for panel, row in subject.iterrows()
    }
    title = f"At the paper's size a client of EPPFL {amounts[PAPER]}"
    if RUNS in amounts:
        title += f"; in the runs here it {amounts[RUNS]}"
    return Story(
        title,
        "Bytes that a client sends up in a round, in times FedAvg's, against what it multiplies, "
        "in per cent of FedAvg's with two local epochs; both axes are logarithmic, and a dotted "
        "line is at FedAvg's bytes. "
        + " ".join(_seen(panel, rows) for panel, rows in points.groupby("panel", sort=False)),
    )


def _seen(panel: str, rows: pd.DataFrame) -> str:
    """Return a sentence on a panel's points."""
    amounts = [
        f"{row['name']}: {percent(row['multiplications'])}, {ratio(row['uplink'])} times"
        for row in rows[rows["name"] != FEDAVG].to_dict("records")
    ]
    return f"In the panel of {panel}: {'; '.join(amounts)}."


def draw(points: pd.DataFrame, looks: "dict[str, ShownMethod]") -> "Figure":
    """Return the figure: a panel by closed forms, one by ledger if the named settings were run."""
    import matplotlib.pyplot as plt

    panels = list(points["panel"].unique())
    figure, axes = plt.subplots(
        1, len(panels), figsize=(TEXT_WIDTH, 3.2), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for panel, title in zip(axes[0], panels, strict=True):
        _draw_panel(panel, points[points["panel"] == title], looks)
        panel.set_title(title, loc="left", fontsize="small")
    axes[0, 0].set_ylabel("sent up by a client (times FedAvg's, log scale)")
    for panel, title in zip(axes[0], panels, strict=True):
        rows = points[points["panel"] == title]
        name_points(
            panel,
            [
                PointName(
                    row["name"], 100 * row["multiplications"], row["uplink"],
                    _look(row["name"], looks)["color"],
                )
                for row in rows.to_dict("records")
            ],
        )  # fmt: skip
    return figure


def _draw_panel(axes: "Axes", rows: pd.DataFrame, looks: "dict[str, ShownMethod]") -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    axes.axhline(1, color=NEUTRAL, linestyle=":", linewidth=0.9)
    for row in rows.to_dict("records"):
        look = _look(row["name"], looks)
        axes.plot(
            100 * row["multiplications"], row["uplink"], linestyle="none", markersize=MARKER, **look
        )
    axes.set(xscale="log", yscale="log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    axes.margins(x=0.15, y=0.15)
    axes.set_xlabel("multiplied by a client (% of FedAvg's, log scale)")


def _look(name: str, looks: "dict[str, ShownMethod]") -> dict[str, Any]:
    """Return marker and colour of a point's method; FedAvg's are neutral where it was not run."""
    look = looks.get("fedavg" if name == FEDAVG else "eppfl")
    return edged(look.marker, look.colour) if look else edged("o", NEUTRAL)
