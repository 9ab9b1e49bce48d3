"""Plot test accuracy by round, a panel per partition and network (paper fedfeat, Figs. 2 to 5)."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import line_with_band, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import TEXT_WIDTH, save, use_style

STYLES = {"last_epoch": "-", "after": ":", "averaged": "--"}
"""Lines by whose extractor is behind the features; the first is every other method's too."""

WORDS = {"last_epoch": "", "after": ", after training", "averaged": ", averaged extractor"}
PARTITIONS = ["iid", "shards"]
DEALT = {"iid": "labels at random", "shards": "two labels a client"}
"""How titles write a partition."""

AT = ["network", "partition", "method", "features_from"]


def main(
    runs: str, series: str, svg: str, axes: dict[str, Any], methods: list[dict[str, Any]]
) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: tidy table of the experiment.
        series: its learning curves.
        svg: path of the svg.
        axes: those of a line, with their defaults.
        methods: those of the experiment.
    """
    use_style()
    looks = shown(methods)
    points = plotted(with_rows(read_tidy(runs, axes), runs), read_tidy(series))
    save(draw(points, looks), svg, points, story(points, looks))


def story(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return how the two methods most apart compare in the last panel, as the table reports."""
    marks = points[points["marked"]]
    panel = marks[marks["partition"] == marks["partition"].max()]
    panel = panel[panel["network"] == panel["network"].min()]
    best, worst = panel.loc[panel["accuracy"].idxmax()], panel.loc[panel["accuracy"].idxmin()]
    names = tuple(
        looks[row["method"]].figure_label + WORDS[row["features_from"]] for row in (best, worst)
    )
    dealt = DEALT.get(best["partition"], best["partition"])
    return Story(
        f"{dealt.capitalize()}, {compared(names, (measured(best), measured(worst)))}",
        "Test accuracy in per cent by round, a row of panels per network and a column for each way "
        "in which labels are dealt, a line per method inside a band of one standard deviation over "
        "seeds, a marker where the table reports it.",
    )


def plotted(runs: pd.DataFrame, series: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracy and spread over seeds by round; a seed that diverged counts as 0.

    Of each line the last row, alone marked, is what the table reports: every seed at its own
    selected round.
    """
    settings = runs[runs["server_epochs"] > 0].drop_duplicates("setting")[["setting", *AT]]
    curves = series[series["series"] == "test_accuracy"].merge(settings, on="setting")
    lost = runs[["setting", "seed", "diverged"]]
    curves = curves.merge(lost, on=["setting", "seed"])
    curves["value"] = curves["value"].mask(curves["diverged"].astype(bool), 0.0)
    by_round = curves.groupby([*AT, "step"], sort=False)["value"]
    by_step = by_round.agg(accuracy="mean", spread="std", seeds="count").reset_index()
    lines = by_step.rename(columns={"step": "round"}).assign(marked=False)
    reported = runs[runs["server_epochs"] > 0].groupby(AT, sort=False)
    marks = reported.agg(
        round=("epoch", "mean"),
        accuracy=("test_accuracy", "mean"),
        spread=("test_accuracy", "std"),
        seeds=("seed", "count"),
    ).reset_index()
    return pd.concat([lines, marks.assign(marked=True)], ignore_index=True)


def draw(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a row of panels per network, a column per partition, none without runs."""
    networks = sorted(points["network"].unique())
    partitions = [name for name in PARTITIONS if name in set(points["partition"])]
    figure, grid = plt.subplots(
        len(networks), len(partitions), sharex=True, sharey=True, squeeze=False,
        figsize=(TEXT_WIDTH, 2.3 * len(networks)),
    )  # fmt: skip
    for row, network in zip(grid, networks, strict=True):
        for axes, partition in zip(row, partitions, strict=True):
            here = (points["network"] == network) & (points["partition"] == partition)
            draw_lines(axes, points[here], looks)
            axes.set_title(f"{named(network)}, {DEALT[partition]}", loc="left", fontsize="medium")
            axes.set_visible(bool(here.any()))
        row[0].set_ylabel("test accuracy (%)")
    for column in grid.T:
        *_, lowest = (axes for axes in column if axes.has_data())
        lowest.set_xlabel("round")
        lowest.xaxis.set_tick_params(labelbottom=True)
    legends = [axes.get_legend_handles_labels() for axes in grid.flat]
    lines = {label: handle for labelled in legends for handle, label in zip(*labelled, strict=True)}
    figure.legend(
        lines.values(), lines, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=7.5
    )
    figure.tight_layout()
    return figure


def named(network: str) -> str:
    """Return what a title calls a network: "CNN one" of `cnn_one`."""
    kind, *rest = network.split("_")
    return " ".join([kind.upper(), *rest])


def draw_lines(axes: plt.Axes, points: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw a line with its band per method and source of features, a mark where the table reports.

    CCVR's is thin: until its last round it is FedAvg's.
    """
    order = {name: index for index, name in enumerate(looks)}
    ordered = points.sort_values("method", key=lambda names: names.map(order), kind="stable")
    for (method, source), rows in ordered.groupby(["method", "features_from"], sort=False):
        look, line, mark = looks[method], rows[~rows["marked"]], rows[rows["marked"]]
        label, style = look.figure_label + WORDS[source], STYLES[source]
        width = 0.7 if method == "ccvr" else None
        line_style = {"color": look.colour, "linestyle": style, "linewidth": width}
        line_with_band(axes, line["round"], line, alpha=0.1, **line_style)
        points_with_bars(
            axes, mark["round"], mark, label=label, marker=look.marker, capsize=0, elinewidth=0.8,
            **line_style,
        )  # fmt: skip
