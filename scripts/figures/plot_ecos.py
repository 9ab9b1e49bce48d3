"""Plot what counts buy: own rows and accuracy by noise and centroids, by purchase, by epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of purchases; pdf, png and numbers go beside it."""
    use_style()
    rows = read_table(table)
    plain = (rows["label_source"] == "bought") & (rows["purchase_purpose"] == "label")
    save(draw(rows[plain]), svg, rows[plain])


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    centre = centre_of(rows)
    figure, panels = plt.subplots(2, 2, figsize=(TEXT_WIDTH, 5), layout="constrained")
    (share, accuracy), (purchase, privacy) = panels
    plain = rows[
        (rows["purchase_rule"] == "ecos") & (rows["purchase_allocation"] == "cap")
        & (rows["score_power"] == 1) & (rows["bits"] == 32)
    ]  # fmt: skip
    by_noise = plain[plain["purchase"] == centre["purchase"]]
    counts = sorted(by_noise["centroids"].unique())
    for count, colour in zip(counts, ordered_colors(len(counts)), strict=True):
        line = by_noise[by_noise["centroids"] == count].sort_values("sigma")
        look = {"color": colour, "marker": "o", "label": f"R = {count:.0f}"}
        points_with_bars(share, line["sigma"], line, "own_share", **look)
        points_with_bars(accuracy, line["sigma"], line, **look)
        noisy = line[line["epsilon_added"].notna()]
        points_with_bars(privacy, noisy["epsilon_added"], noisy, **look)
    share.axhline(100 * rows["inherent_share"].iloc[0], color=NEUTRAL, linestyle=":")
    share.annotate(
        "in the cloud", (1, 100 * rows["inherent_share"].iloc[0]), fontsize=7, color=NEUTRAL,
        xycoords=("axes fraction", "data"), ha="right", va="bottom",
    )  # fmt: skip
    by_purchase(purchase, plain, rows, centre)
    levels(privacy, rows[rows["purchase"] == centre["purchase"]])
    for axes in (share, accuracy):
        axes.set_xlabel("noise σ on each count")
    share.set_ylabel("own rows bought (%)")
    accuracy.set_ylabel("test accuracy (%)")
    purchase.set(xlabel="rows bought B", ylabel="test accuracy (%)")
    privacy.set(xlabel="ε of a row added or removed", ylabel="test accuracy (%)")
    share.legend(fontsize=7)
    purchase.legend(fontsize=7)
    return figure


def centre_of(rows: pd.DataFrame) -> dict[str, float]:
    """Return where the study varies one thing at a time: where it runs proximity alone."""
    apart = rows[rows["purchase_rule"] == "proximity"].sort_values("purchase")
    middle = apart.iloc[len(apart) // 2]
    return {name: float(middle[name]) for name in ("centroids", "sigma", "purchase")}


def by_purchase(axes: Axes, plain: pd.DataFrame, rows: pd.DataFrame, at: dict[str, float]) -> None:
    """Draw accuracy against the rows bought, a line for each choice."""
    for choice, (label, colour, marker) in CHOICES.items():
        line = plain if choice == "ecos" else rows[rows["purchase_rule"] == choice]
        if line["centroids"].notna().any():
            line = line[(line["centroids"] == at["centroids"]) & (line["sigma"] == at["sigma"])]
        line = line.sort_values("purchase")
        points_with_bars(axes, line["purchase"], line, color=colour, marker=marker, label=label)


def levels(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the accuracy of choices that need nothing of the clients, as levels."""
    for choice in ("kcenter", "random", "ideal"):
        choice_rows = rows[rows["purchase_rule"] == choice]
        label, colour, _ = CHOICES[choice]
        for accuracy in 100 * choice_rows["accuracy"]:
            axes.axhline(accuracy, color=colour, linestyle=":")
            # K-Center and random are often alike, so that their names stand apart.
            x, side = (0, "left") if choice == "kcenter" else (1, "right")
            axes.annotate(
                label, (x, accuracy), xycoords=("axes fraction", "data"), fontsize=7,
                color=colour, ha=side, va="bottom",
            )  # fmt: skip


if __name__ == "__main__":
    run_by_name(snakemake, main)
