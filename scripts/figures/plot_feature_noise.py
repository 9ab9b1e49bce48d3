"""Plot accuracy, the paper's metrics and the features' own size against epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table

KINDS = {
    ("feature_gaussian", False): ("as printed", "#8B4513", "o", "-"),
    ("feature_laplace", False): ("as printed, Laplace", "#8B4513", "s", ":"),
    ("feature_gaussian", True): ("as printed, features clipped", "#0072B2", "^", "--"),
    ("feature_laplace", True): ("Laplace, features clipped", "#0072B2", "v", ":"),
    ("gaussian", True): ("that holds over all rounds", "#009E73", "D", "-"),
}
"""Name, colour, marker and line of noise by mechanism and whether features are clipped."""

METRICS = {
    "mutual_information": "mutual information (nats)",
    "feature_correlation": "correlation",
    "kl_divergence": "KL divergence (nats)",
    "feature_norm": "norm of a sample's features",
}
"""What the panels beside accuracy show."""

LINEAR = ("kl_divergence",)
"""What spans less than two powers of ten."""


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points = read_table(table)
    save(draw(points), svg, points)


def draw(points: pd.DataFrame) -> plt.Figure:
    """Return the figure: accuracy, with the run without noise as a line, then the metrics."""
    figure, grid = plt.subplots(1, 5, figsize=(1.5 * TEXT_WIDTH, 2.3))
    first, *others = grid
    for key, rows in noisy(points):
        name, colour, marker, line = KINDS[key]
        look = {"color": colour, "marker": marker, "linestyle": line}
        points_with_bars(
            first, rows["epsilon"], rows, label=name, capsize=0, elinewidth=0.8, **look
        )
        for axes, metric in zip(others, METRICS, strict=True):
            axes.plot(rows["epsilon"], rows[metric], **look)
    for accuracy in points.loc[points["mechanism"] == "none", "accuracy"]:
        first.axhline(100 * accuracy, color=NEUTRAL, linewidth=0.9, label="no noise")
    first.set_ylabel("test accuracy (%)")
    first.set_ylim(0, 103)
    for axes, label in zip(others, METRICS.values(), strict=True):
        axes.set_title(label, loc="left", fontsize="medium")
    for axes, metric in zip(others, METRICS, strict=True):
        if metric not in LINEAR:
            axes.set_yscale("log")
    for axes in grid:
        axes.set_xscale("log")
        axes.set_xlabel("ε asked for")
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize=7.5)
    figure.tight_layout()
    return figure


def noisy(points: pd.DataFrame) -> list[tuple[tuple[str, bool], pd.DataFrame]]:
    """Return the rows of each kind of noise, by epsilon."""
    noised = points[points["mechanism"] != "none"]
    kinds = noised.groupby(["mechanism", noised["feature_clip"].notna()], sort=False)
    return [(key, rows.sort_values("epsilon")) for key, rows in kinds]


if __name__ == "__main__":
    run_by_name(snakemake, main)
