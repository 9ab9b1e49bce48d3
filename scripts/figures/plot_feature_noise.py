"""Plot accuracy, the paper's metrics and the features' own size against epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_points, points_with_bars
from fbftl.findings.story import Story, measured, moved, with_rows
from fbftl.findings.style import LABEL_SIZE, NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.csv_tables import read_table
from matplotlib.ticker import NullFormatter

KINDS = {
    ("feature_gaussian", False): ("as printed", "#8B4513", "o", "-"),
    ("feature_laplace", False): ("as printed, Laplace", "#8B4513", "s", ":"),
    ("feature_gaussian", True): ("as printed, features clipped", "#0072B2", "^", "--"),
    ("feature_laplace", True): ("Laplace, features clipped", "#0072B2", "v", ":"),
    ("gaussian", True): ("that holds over all rounds", "#009E73", "D", "-"),
}
"""Name, colour, marker and line of noise by mechanism and whether features are clipped."""

METRICS = {
    "mutual_information": "Mutual information (nats)",
    "feature_correlation": "Correlation of features",
    "kl_divergence": "KL divergence (nats)",
    "feature_norm": "Norm of a sample's features",
}
"""What the panels beside accuracy show."""

LINEAR = ("kl_divergence",)
"""What spans less than two powers of ten."""


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    rows = with_rows(read_table(table), table)
    save(draw(rows), svg, rows, story(rows))


def story(rows: pd.DataFrame) -> Story:
    """Return what the noise as printed does to accuracy from its largest ε to its smallest."""
    key, line = next(iter(noisy(rows)))
    weakest, strongest = line.iloc[-1], line.iloc[0]
    where = (f"at ε = {weakest['epsilon']:g}", f"at ε = {strongest['epsilon']:g}")
    sides = (measured(weakest), measured(strongest))
    norm = line["feature_norm"]
    return Story(
        moved(f"With noise {KINDS[key][0]}, accuracy", where, sides),
        "Against the ε asked for, on a logarithmic axis: test accuracy in per cent with a bar of "
        "one standard deviation and the run without noise as a level; then mutual information, "
        "correlation, KL divergence and the norm of a sample's features, a line per kind of noise. "
        f"From the largest to the smallest ε the norm goes from {norm.iloc[-1]:.2g} to "
        f"{norm.iloc[0]:.2g}.",
    )


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure: accuracy, with the run without noise as a level, then the metrics."""
    figure, grid = plt.subplot_mosaic(
        [["accuracy", *list(METRICS)[:2]], ["accuracy", *list(METRICS)[2:]]],
        figsize=(TEXT_WIDTH, 4.2), width_ratios=(1.5, 1, 1), layout="constrained",
    )  # fmt: skip
    accuracy, ends = grid["accuracy"], []
    for key, line in noisy(rows):
        name, colour, marker, style = KINDS[key]
        look = {"color": colour, "marker": marker, "linestyle": style}
        points_with_bars(accuracy, line["epsilon"], line, elinewidth=0.8, **look)
        # Its middle, as lines meet where noise is weak.
        middle = line.iloc[len(line) // 2]
        ends.append(PointName(name, middle["epsilon"], 100 * middle["accuracy"], colour))
        for metric in METRICS:
            grid[metric].plot(line["epsilon"], line[metric], **look)
    for level in rows.loc[rows["mechanism"] == "none", "accuracy"]:
        accuracy.axhline(100 * level, color=NEUTRAL, linewidth=0.9)
        accuracy.annotate(
            "no noise", (0.02, 100 * level), xycoords=("axes fraction", "data"), va="bottom",
            fontsize=LABEL_SIZE, color=NEUTRAL,
        )  # fmt: skip
    accuracy.set(ylabel="test accuracy (%)", ylim=(-3, 103))
    for metric, label in METRICS.items():
        scale = "linear" if metric in LINEAR else "log"
        grid[metric].set_yscale(scale)
        grid[metric].set_title(
            f"{label}{', log scale' if scale == 'log' else ''}", loc="left", fontsize="small"
        )
    for axes in grid.values():
        axes.set_xscale("log")
        axes.set_xlabel("ε asked for (log scale)")
        axes.xaxis.set_minor_formatter(NullFormatter())
    name_points(accuracy, ends)
    return figure


def noisy(rows: pd.DataFrame) -> list[tuple[tuple[str, bool], pd.DataFrame]]:
    """Return the rows of each kind of noise, by epsilon."""
    noised = rows[rows["mechanism"] != "none"]
    kinds = noised.groupby(["mechanism", noised["feature_clip"].notna()], sort=False)
    return [(key, line.sort_values("epsilon")) for key, line in kinds]
