"""Plot accuracy against what all clients have sent: EPPFL's settings beside FedAvg and FbFTL.

Five points are named: FbFTL, FedAvg, and of EPPFL's settings the one that is plain, the one that
sends least and the most accurate one. Lines through FedAvg part what beats it from what does not.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings.marks import PointName, name_points, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import shown
from fbftl.findings.story import Story, compared, measured, percent, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.findings.tables import ratio
from fbftl.findings.wording import axes_of, setting_words

if TYPE_CHECKING:
    from fbftl.findings.shown import ShownMethod
    from matplotlib.figure import Figure

SUBJECT, RIVAL = "eppfl", "fedavg"


def main(runs: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        svg: path of the svg.
        methods: the methods there.
    """
    use_style()
    points, looks = uplinks(with_rows(read_tidy(runs), runs)), shown(methods)
    save(draw(points, looks), svg, points, story(points, looks))


def uplinks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: all clients' uplink in megabytes, accuracy and its spread."""
    megabytes = runs["uplink_bits"] / 8e6
    sent = megabytes.groupby([runs["method"], runs["setting"]]).mean().rename("uplink")
    points = mean_and_spread(runs, ["method", "setting"]).set_index(["method", "setting"])
    return points.join(sent).reset_index()


def named(points: pd.DataFrame) -> dict[int, str]:
    """Return what each named point is called behind its method, by its row."""
    names = {row: "" for row in points.index[points["method"] != SUBJECT]}
    settings = points[points["method"] == SUBJECT]
    if len(settings):
        names[settings["uplink"].idxmin()] = "sends least"
        names[settings["accuracy"].idxmax()] = "most accurate"
        names[plain(points)] = "nothing dropped, no noise"
    return names


def plain(points: pd.DataFrame) -> int:
    """Return the row of EPPFL's plainest setting, with FedAvg's local epochs if there is one."""
    settings = points.loc[points["method"] == SUBJECT, "setting"].map(axes_of)
    rivals = points.loc[points["method"] == RIVAL, "setting"].map(axes_of)
    epochs = rivals.iloc[0].get("local_epochs") if len(rivals) else None
    order = settings.map(lambda axes: (len(axes), axes.get("local_epochs") != epochs))
    alike = settings[settings.map(lambda axes: axes.get("local_epochs") == epochs)]
    return (order[alike.index] if len(alike) else order).idxmin()


def story(points: pd.DataFrame, looks: "dict[str, ShownMethod]") -> Story:
    """Return how EPPFL's plain setting stands beside FedAvg, in accuracy and in uplink."""
    subject = points[points["method"] == SUBJECT]
    spans = (
        f"{len(subject)} settings of EPPFL lie between {percent(subject['accuracy'].min())} and "
        f"{percent(subject['accuracy'].max())}"
    )
    title, rivals = spans, points[points["method"] == RIVAL]
    if len(rivals) and len(subject):
        row, rival = points.loc[plain(points)], rivals.iloc[0]
        labels = (looks[SUBJECT].figure_label, looks[RIVAL].figure_label)
        title = (
            f"{labels[0]} without noise sends {ratio(row['uplink'] / rival['uplink'])} times what "
            f"{labels[1]} sends; {compared(labels, (measured(row), measured(rival)))}"
        )
    return Story(
        title,
        "Test accuracy of clean inference in per cent against the uplink of all clients in "
        f"megabytes on a logarithmic axis, with bars of one standard deviation. {spans}; lines "
        "through FedAvg are dotted. "
        + " ".join(
            f"{looks[row['method']].figure_label} {setting_words(axes_of(row['setting']))} has "
            f"{percent(row['accuracy'])} for {row['uplink']:.3g} MB."
            for row in points.loc[list(named(points))].to_dict("records")
        ),
    )


def draw(points: pd.DataFrame, looks: "dict[str, ShownMethod]") -> "Figure":
    """Return the figure: a point per setting, bars of one standard deviation over seeds."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(0.8 * TEXT_WIDTH, 3.4), layout="constrained")
    names = named(points)
    for name, look in looks.items():
        of_method = points["method"] == name
        for rows, strength in (
            (points[of_method & points.index.isin(names)], 1.0),
            (points[of_method & ~points.index.isin(names)], 0.35),
        ):
            points_with_bars(
                axes, rows["uplink"], rows, color=look.colour, marker=look.marker,
                linestyle="none", alpha=strength, elinewidth=0.8,
            )  # fmt: skip
    for _, rival in points[points["method"] == RIVAL].iterrows():
        axes.axhline(100 * rival["accuracy"], color=NEUTRAL, linestyle=":", linewidth=0.9)
        axes.axvline(rival["uplink"], color=NEUTRAL, linestyle=":", linewidth=0.9)
    axes.set(xscale="log", ylim=(0, 104))
    axes.margins(x=0.1)
    axes.set_xlabel("uplink of all clients (MB, log scale)")
    axes.set_ylabel("test accuracy (%), clean inference")
    name_points(
        axes,
        [
            PointName(
                ", ".join(filter(None, [looks[row["method"]].figure_label, names[index]])),
                row["uplink"], 100 * row["accuracy"], looks[row["method"]].colour,
            )
            for index, row in points.loc[list(names)].iterrows()
        ],
    )  # fmt: skip
    return figure
