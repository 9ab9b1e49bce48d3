"""Plot what counts buy: own rows and accuracy by noise and centroids, by purchase, by epsilon."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_lines, points_with_bars
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import (
    LABEL_SIZE,
    NEUTRAL,
    TEXT_WIDTH,
    EndLabel,
    label_ends,
    ordered_colors,
    save,
    use_style,
)
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of purchases; pdf, png and numbers go beside it."""
    use_style()
    rows = with_rows(read_table(table), table)
    plain = (rows["label_source"] == "bought") & (rows["purchase_purpose"] == "label")
    save(draw(rows[plain]), svg, rows[plain], story(rows[plain]))


def story(rows: pd.DataFrame) -> Story:
    """Return whether rows by noisy counts are better than random ones, where the study is."""
    centre = centre_of(rows)
    here = rows[rows["purchase"] == centre["purchase"]]
    by_counts = here["purchase_rule"].eq("ecos") & here["sigma"].eq(centre["sigma"])
    by_counts &= here["centroids"].eq(centre["centroids"]) & here["purchase_allocation"].eq("cap")
    by_counts &= here["score_power"].eq(1) & here["bits"].eq(32)
    sides = (here[by_counts].iloc[0], here[here["purchase_rule"] == "random"].iloc[0])
    first, second = map(measured, sides)
    return Story(
        f"With {centre['purchase']:g} rows bought, "
        + compared(("a head by ECOS's noisy counts", "one by random rows"), (first, second)),
        "Four panels with bars of one standard deviation over seeds: the share of own rows bought "
        "and the test accuracy, in per cent, against the noise on each count, a line for each "
        "number of centroids R; test accuracy against the rows bought, a line for each choice; and "
        "test accuracy against ε of a row, with choices that ask no client as levels. "
        f"In the cloud {100 * rows['inherent_share'].iloc[0]:.1f}% of rows are of the own domain.",
    )


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    centre = centre_of(rows)
    figure, panels = plt.subplots(2, 2, figsize=(TEXT_WIDTH, 5.2), layout="constrained")
    (share, accuracy), (purchase, privacy) = panels
    plain = rows[
        (rows["purchase_rule"] == "ecos") & (rows["purchase_allocation"] == "cap")
        & (rows["score_power"] == 1) & (rows["bits"] == 32)
    ]  # fmt: skip
    by_noise = plain[plain["purchase"] == centre["purchase"]]
    counts = sorted(by_noise["centroids"].unique())
    ends: dict[Axes, list[PointName]] = {axes: [] for axes in (share, accuracy, purchase)}
    for count, colour in zip(counts, ordered_colors(len(counts)), strict=True):
        line = by_noise[by_noise["centroids"] == count].sort_values("sigma")
        look = {"color": colour, "marker": "o", "label": f"R = {count:.0f}"}
        points_with_bars(share, line["sigma"], line, "own_share", **look)
        points_with_bars(accuracy, line["sigma"], line, **look)
        noisy = line[line["epsilon_added"].notna()]
        points_with_bars(privacy, noisy["epsilon_added"], noisy, **look)
        last = line.iloc[-1]
        for axes, score in ((share, "own_share"), (accuracy, "accuracy")):
            ends[axes].append(PointName(look["label"], last["sigma"], 100 * last[score], colour))
    share.axhline(100 * rows["inherent_share"].iloc[0], color=NEUTRAL, linestyle=":")
    share.annotate(
        "share in the cloud", (0.02, 100 * rows["inherent_share"].iloc[0]), fontsize=LABEL_SIZE,
        color=NEUTRAL, xycoords=("axes fraction", "data"), va="bottom",
    )  # fmt: skip
    ends[purchase] = by_purchase(purchase, plain, rows, centre)
    blind = levels(privacy, rows[rows["purchase"] == centre["purchase"]])
    for axes in (share, accuracy):
        axes.set_xlabel("noise on each count, σ")
    share.set_ylabel("own rows among those bought (%)")
    for axes in (accuracy, purchase, privacy):
        axes.set_ylabel("test accuracy (%)")
    share.set_ylim(bottom=0)
    purchase.set(xlabel="rows bought B", xticks=sorted(rows["purchase"].unique()))
    privacy.set_xlabel("ε of a row added or removed; colours as above")
    for axes, names in ends.items():
        name_lines(axes, names)
    label_ends(privacy, blind)
    return figure


def centre_of(rows: pd.DataFrame) -> dict[str, float]:
    """Return where the study varies one thing at a time: where it runs proximity alone."""
    apart = rows[rows["purchase_rule"] == "proximity"].sort_values("purchase")
    middle = apart.iloc[len(apart) // 2]
    return {name: float(middle[name]) for name in ("centroids", "sigma", "purchase")}


def by_purchase(
    axes: Axes, plain: pd.DataFrame, rows: pd.DataFrame, at: dict[str, float]
) -> list[PointName]:
    """Draw accuracy against the rows bought, a line for each choice; return their names."""
    ends = []
    for choice, (label, colour, marker) in CHOICES.items():
        line = plain if choice == "ecos" else rows[rows["purchase_rule"] == choice]
        if line["centroids"].notna().any():
            line = line[(line["centroids"] == at["centroids"]) & (line["sigma"] == at["sigma"])]
        line = line.sort_values("purchase")
        points_with_bars(axes, line["purchase"], line, color=colour, marker=marker, label=label)
        if len(line):
            last = line.iloc[-1]
            ends.append(PointName(label, last["purchase"], 100 * last["accuracy"], colour))
    return ends


def levels(axes: Axes, rows: pd.DataFrame) -> list[EndLabel]:
    """Draw the accuracy of choices that need nothing of the clients, as levels; return names."""
    names = []
    for choice in ("kcenter", "random", "ideal"):
        label, colour, _ = CHOICES[choice]
        for accuracy in 100 * rows.loc[rows["purchase_rule"] == choice, "accuracy"]:
            axes.axhline(accuracy, color=colour, linestyle=":")
            names.append(EndLabel(label, accuracy, colour))
    return names
