"""Plot what counts buy: own rows and accuracy by noise and centroids, by purchase, by epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.ground.logs import run_job
from matplotlib.axes import Axes


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of purchases; pdf, png and numbers go beside it."""
    use_style()
    rows = read_table(table)
    plain = (rows["labels"] == "bought") & (rows["purpose"] == "label")
    save(draw(rows[plain]), svg, rows[plain])


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    centre = centre_of(rows)
    figure, panels = plt.subplots(2, 2, figsize=(TEXT_WIDTH, 5), layout="constrained")
    (share, accuracy), (purchase, privacy) = panels
    plain = rows[
        (rows["choice"] == "ecos") & (rows["allocation"] == "cap")
        & (rows["score_power"] == 1) & (rows["bits"] == 32)
    ]  # fmt: skip
    by_noise = plain[plain["purchase"] == centre["purchase"]]
    counts = sorted(by_noise["centroids"].unique())
    for count, colour in zip(counts, ordered_colors(len(counts)), strict=True):
        own = by_noise[by_noise["centroids"] == count].sort_values("sigma")
        look = {"color": colour, "marker": "o", "capsize": 2, "label": f"R = {count:.0f}"}
        share.errorbar(own["sigma"], 100 * own["own_share"], 100 * own["own_spread"], **look)
        accuracy.errorbar(own["sigma"], 100 * own["accuracy"], 100 * own["spread"], **look)
        noisy = own[own["epsilon_added"].notna()]
        x = noisy["epsilon_added"]
        privacy.errorbar(x, 100 * noisy["accuracy"], 100 * noisy["spread"], **look)
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
    apart = rows[rows["choice"] == "proximity"].sort_values("purchase")
    middle = apart.iloc[len(apart) // 2]
    return {name: float(middle[name]) for name in ("centroids", "sigma", "purchase")}


def by_purchase(axes: Axes, plain: pd.DataFrame, rows: pd.DataFrame, at: dict[str, float]) -> None:
    """Draw accuracy against the rows bought, a line for each choice."""
    for choice, (label, colour, marker) in CHOICES.items():
        own = plain if choice == "ecos" else rows[rows["choice"] == choice]
        if own["centroids"].notna().any():
            own = own[(own["centroids"] == at["centroids"]) & (own["sigma"] == at["sigma"])]
        own = own.sort_values("purchase")
        axes.errorbar(
            own["purchase"], 100 * own["accuracy"], 100 * own["spread"], color=colour,
            marker=marker, capsize=2, label=label,
        )  # fmt: skip


def levels(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the accuracy of choices that need nothing of the clients, as levels."""
    for choice in ("kcenter", "random", "ideal"):
        own = rows[rows["choice"] == choice]
        label, colour, _ = CHOICES[choice]
        for accuracy in 100 * own["accuracy"]:
            axes.axhline(accuracy, color=colour, linestyle=":")
            # K-Center and random are often alike, so that their names stand apart.
            place, side = (0, "left") if choice == "kcenter" else (1, "right")
            axes.annotate(
                label, (place, accuracy), xycoords=("axes fraction", "data"), fontsize=7,
                color=colour, ha=side, va="bottom",
            )  # fmt: skip


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg))
