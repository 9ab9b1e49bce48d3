"""Figure 11: label privacy against samples per client, exact beside published (audit row A1).

Left: the adversary's uncertainty about one client's batch before and after it has seen all U
batches; the published points collapse because they sum over the first U batch types only, which
the truncated curve reproduces. Right: Lemma 2, the query leakage vanishes as U grows.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from fbftl.findings.published import read
from fbftl.findings.story import Story
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.randomness import stream
from fbftl.privacy.label_privacy import (
    Estimate,
    batch_entropy,
    empirical_entropy,
    estimate,
    queried_entropy,
    sample_types,
    truncated_entropy,
    uniform,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#56B4E9", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def main(printed: str | Path, svg: str | Path, setting: dict[str, Any]) -> None:
    """Compute and draw the figure; its numbers go into the csv beside it.

    Args:
        printed: csv of the published points: series (prior, queried), UK, K, printed in bits.
        svg: the figure to write.
        setting: `classes` (N), `total_samples` (UK, list), `samples_per_client` (K, list),
            `lemma_samples_per_client` (K, list), `lemma_clients` (U, list), `repetitions`, `seed`.
    """
    use_style()
    import matplotlib.pyplot as plt

    points = read(printed)
    numbers = pd.concat(
        [uncertainty(setting), published_points(points), query_leakage(setting)],
        ignore_index=True,
    )
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, 2.9), width_ratios=(3, 2), layout="constrained"
    )
    draw_uncertainty(left, numbers, setting["classes"])
    draw_query_leakage(right, numbers)
    save(figure, svg, numbers, story(numbers))
    plt.close(figure)


def story(numbers: pd.DataFrame) -> Story:
    """Return what is left of a batch's uncertainty at the most samples per client."""
    exact, truncated = (numbers[numbers["series"] == name] for name in ("exact", "truncated"))
    total, most = exact["UK"].min(), exact["K"].max()
    left, cut = (
        float(rows.loc[(rows["UK"] == total) & (rows["K"] == most), "bits"].iloc[0])
        for rows in (exact, truncated)
    )
    return Story(
        f"With {total:,} samples and K = {most} the query leaves {left:.1f} bits of a batch "
        f"uncertain, where the first U types alone would leave {cut:.1f}",
        "Left, the uncertainty of a batch in bits against the samples per client K: before the "
        "query, and after it for several numbers of samples UK, exact as lines, over the first U "
        "types only dotted, as printed in hollow markers. Right, the bits that the query gives "
        "away against the clients U, both axes logarithmic, a line per K.",
    )


def uncertainty(setting: dict[str, Any]) -> pd.DataFrame:
    """Return the left panel's computed curves: prior, exact and truncated, in bits."""
    p = uniform(setting["classes"])
    rows = [row("prior", batch_entropy(p, k), K=k) for k in setting["samples_per_client"]]
    for total in setting["total_samples"]:
        for k in setting["samples_per_client"]:
            exact, truncated = both_entropies(p, k, total // k, setting)
            at = {"UK": total, "U": total // k, "K": k}
            rows += [row("exact", exact, **at), row("truncated", truncated, **at)]
    return pd.DataFrame(rows)


def both_entropies(
    p: np.ndarray, samples: int, batches: int, setting: dict[str, Any]
) -> tuple[Estimate, Estimate]:
    """Return H(B | C_U) over all types seen and over the first U types, of the same draws."""
    generators = (
        stream(setting["seed"], "label_batches", samples, batches, r)
        for r in range(setting["repetitions"])
    )
    draws = [sample_types(p, samples, batches, generator) for generator in generators]
    return (
        estimate([empirical_entropy(ranks) for ranks in draws]),
        estimate([truncated_entropy(ranks) for ranks in draws]),
    )


def query_leakage(setting: dict[str, Any]) -> pd.DataFrame:
    """Return the right panel's curves: L_q, Eq. (34), against U, in bits."""
    p = uniform(setting["classes"])
    rows = []
    for k in setting["lemma_samples_per_client"]:
        entropy = batch_entropy(p, k)
        for clients in setting["lemma_clients"]:
            queried = queried_entropy(
                p, k, clients, repetitions=setting["repetitions"], seed=setting["seed"]
            )
            leaked = Estimate(entropy - queried.mean, queried.spread)
            rows.append(row("query leakage", leaked, UK=clients * k, U=clients, K=k))
    return pd.DataFrame(rows)


def published_points(points: pd.DataFrame) -> pd.DataFrame:
    """Return the published points after the query in the layout of the computed rows."""
    queried = points[points["series"] == "queried"].astype({"UK": int})
    return pd.DataFrame(
        row("published", float(p.printed), UK=p.UK, U=p.UK // p.K, K=p.K)
        for p in queried.itertuples()
    )


def row(series: str, value: float | Estimate, **at: int) -> dict[str, Any]:
    """Return one drawn point; what has no repetitions has no spread."""
    measured = isinstance(value, Estimate)
    return {
        "series": series,
        "UK": at.get("UK", pd.NA),
        "U": at.get("U", pd.NA),
        "K": at["K"],
        "bits": value.mean if measured else value,
        "spread": value.spread if measured else pd.NA,
    }


def draw_uncertainty(axes: "Axes", numbers: pd.DataFrame, classes: int) -> None:
    """Draw uncertainty against K: one colour per UK, one line style per way of computing it."""
    prior = numbers[numbers["series"] == "prior"]
    axes.plot(prior["K"], prior["bits"], color=NEUTRAL, label="before the query")
    totals = numbers.loc[numbers["series"] == "exact", "UK"].unique()
    for total, color in zip(totals, COLORS, strict=False):
        of_total = numbers[numbers["UK"] == total].set_index("series")
        exact, truncated = of_total.loc["exact"], of_total.loc["truncated"]
        axes.plot(exact["K"], exact["bits"], color=color, label=f"UK = {total:,}")
        axes.plot(truncated["K"], truncated["bits"], color=color, linestyle=":")
        if "published" in of_total.index:
            printed = of_total.loc[["published"]]
            axes.plot(printed["K"], printed["bits"], "o", color=color, markerfacecolor="white")
    axes.plot([], [], color=NEUTRAL, linestyle=":", label="first U types only")
    axes.plot([], [], "o", color=NEUTRAL, markerfacecolor="white", label="published")
    axes.set(
        xlabel="samples per client K",
        ylabel="uncertainty of a batch (bits)",
        ylim=(-0.7, None),
    )
    axes.set_title(f"Left after the query, N = {classes} labels", loc="left", fontsize="medium")
    axes.legend(fontsize="small", loc="upper left", ncols=2)
    axes.set_ylim(top=1.35 * float(prior["bits"].max()))


def draw_query_leakage(axes: "Axes", numbers: pd.DataFrame) -> None:
    """Draw L_q against U on logarithmic axes, one line per K."""
    leaked = numbers[numbers["series"] == "query leakage"]
    for (samples, curve), color in zip(leaked.groupby("K"), COLORS, strict=False):
        axes.plot(curve["U"], curve["bits"], marker=".", color=color, label=f"K = {samples}")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="clients U (log scale)",
        ylabel="query leakage L$_q$ (bits, log scale)",
    )
    axes.set_title("Given by the query (Lemma 2)", loc="left", fontsize="medium")
    axes.legend(fontsize="small")
