"""Figures of FedFeat+: accuracy by round, and noise on features.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Mapping

import pandas as pd
from fbftl.findings.plots.kinds import bands, lines
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, level, marks, to_draw
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, figure_labels, shown
from fbftl.findings.steps import Axes, Methods
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save
from fbftl.findings.wording import words

SOURCES = {
    "last_epoch": ("-", ""),
    "after": (":", ", after training"),
    "averaged": ("--", ", averaged extractor"),
}
"""Lines, and what follows a method's name, by whose extractor is behind the features; the first is
every other method's too.
"""

DEALT = {"iid": "iid labels", "shards": "two labels per client"}
"""How titles write a partition, in the order of the panels."""

AT = ["network", "partition", "method", "features_from"]


def marked_lines(
    points: pd.DataFrame, methods: Mapping[str, ShownMethod], panel: pd.Series
) -> tuple[pd.DataFrame, dict[str, Look]]:
    """Return the marks of lines over rounds, by method and source of features, and of the table.

    CCVR's line is thin: until its last round it is FedAvg's.

    Args:
        points: a row per point of a line, and those `marked`, which the table reports.
        methods: their looks.
        panel: of each point.
    """
    endings = points["features_from"].map({name: text for name, (_, text) in SOURCES.items()})
    labels = points["method"].map(figure_labels(methods))
    series = (labels + endings).where(points["marked"], "_" + labels + endings)
    looks = {}
    for look in methods.values():
        for dash, ending in SOURCES.values():
            width = 0.7 if look.name == "ccvr" else 1.4
            looks[f"_{look.figure_label}{ending}"] = Look(look.colour, "", dash, width=width)
            looks[look.figure_label + ending] = Look.of(look, line=dash)
    return marks(points, "round", series=series, panel=panel), looks


def retraining(runs: str, series: str, svg: str, axes: Axes, methods: Methods) -> None:
    """Draw accuracy by round, a panel per partition and network (paper, Figs. 2 to 5).

    Args:
        runs: tidy table of the experiment.
        series: its learning curves.
        svg: path of the svg.
        axes: those of a line, with their defaults.
        methods: those of the experiment.
    """
    points = plotted(to_draw(runs, axes), read_tidy(series))
    here = points["network"] + " " + points["partition"]
    frame, looks = marked_lines(points, shown(methods), here)
    x, y = Scale("round"), Scale(ACCURACY, "score")
    partitions = [name for name in DEALT if name in set(points["partition"])]
    networks = sorted(points["network"].unique())
    panels = {
        f"{network} {partition}": Panel(x, y, f"{words('network', network)}, {DEALT[partition]}")
        for partition in partitions
        for network in networks
    }
    size = (TEXT_WIDTH, 2.2 * -(-frame["panel"].nunique() // 2) + 0.6)
    figure = bands(frame, Spec(looks, panels, size, 2, legend=3))
    save(figure, svg, points, "Accuracy by round, by network and labels of clients")


def plotted(runs: pd.DataFrame, series: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracy and spread over seeds by round; a seed that diverged counts as 0.

    Of each line the last row, alone marked, is what the table reports: every seed at its own
    selected round.
    """
    trained = runs[runs["server_epochs"] > 0]
    curves = series[series["series"] == "test_accuracy"].rename(columns={"step": "round"})
    curves = curves.merge(trained[["setting", "seed", "diverged", *AT]], on=["setting", "seed"])
    curves["value"] = curves["value"].mask(curves["diverged"].astype(bool), 0.0)
    by_round = curves.groupby([*AT, "round"], sort=False)["value"]
    means = by_round.agg(accuracy="mean", spread="std", seeds="count").reset_index()
    means = means.assign(marked=False)
    ends = trained.groupby(AT, sort=False).agg(
        round=("epoch", "mean"), accuracy=("test_accuracy", "mean"),
        spread=("test_accuracy", "std"), seeds=("seed", "count"),
    )  # fmt: skip
    return pd.concat([means, ends.reset_index().assign(marked=True)], ignore_index=True)


NOISED = {
    ("feature_gaussian", False): ("noise as printed", Look("#8B4513")),
    ("feature_laplace", False): ("as printed, Laplace", Look("#8B4513", "s", ":")),
    ("feature_gaussian", True): ("as printed, features clipped", Look("#0072B2", "^", "--")),
    ("feature_laplace", True): ("Laplace, features clipped", Look("#0072B2", "v", ":")),
    ("gaussian", True): ("ε holds over all rounds", Look("#009E73", "D", "-.")),
}
"""Name and look of noise by mechanism and whether features are clipped."""

METRICS = {
    "mutual_information": Scale("mutual information\n(nats)", "log"),
    "feature_correlation": Scale("correlation\nof features", "log"),
    "kl_divergence": Scale("KL divergence (nats)"),
    "feature_norm": Scale("norm of a\nsample's features", "log"),
}
"""Scales of the panels beside accuracy."""


def feature_noise(table: str, svg: str) -> None:
    """Draw accuracy, the paper's metrics and the features' own size against epsilon."""
    rows = to_draw(table)
    noisy = rows[rows["mechanism"] != "none"]
    kinds = zip(noisy["mechanism"], noisy["feature_clip"].notna(), strict=True)
    series = [NOISED[kind][0] for kind in kinds]
    frames = [marks(noisy, "epsilon", series=series, panel="accuracy")]
    # The spread of the rows is the accuracy's.
    measured = noisy[["epsilon", *METRICS]]
    for height in 100 * rows.loc[rows["mechanism"] == "none", "accuracy"]:
        frames.append(level(height, frames[0], "no noise", panel="accuracy"))
    for metric in METRICS:
        frames.append(marks(measured, "epsilon", metric, series=series, panel=metric, factor=1))
    x = Scale("ε asked for", "log", sorted(noisy["epsilon"].unique()))
    scales = {"accuracy": Scale(ACCURACY, limits=(-3, 103)), **METRICS}
    panels = {name: Panel(x, scale) for name, scale in scales.items()}
    looks = dict(NOISED.values()) | {"no noise": Look(NEUTRAL, "", width=0.9)}
    spec = Spec(looks, panels, (TEXT_WIDTH, 4.2), columns=3, legend=4)
    figure = lines(pd.concat(frames), spec)
    save(figure, svg, rows, "Noise on features: accuracy and the paper's metrics")
