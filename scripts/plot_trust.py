"""Plot accuracy against epsilon of noised uploads, a panel for each of three models of trust.

Whom a guarantee holds against differs between the panels, so that nothing joins them.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.style import TEXT_WIDTH, mark_diverged, save, use_style
from fbftl.findings.uploads import READ, by_upload
from fbftl.ground.logs import run_job

PANELS = {
    "local": "local: holds against the server",
    "secure sum": "secure sum: server, dealer apart",
    "trusted server": "trusted server: all but the server",
}


def main(runs: str, svg: str, axes: dict[str, Any], methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the experiment's tidy table; pdf, png and numbers go beside it."""
    use_style()
    rows = noised(read_tidy(runs, axes))
    labels = {row["name"]: row for row in methods}
    figure, panels = plt.subplots(
        1, len(PANELS), figsize=(TEXT_WIDTH, 2.9), sharey=True, layout="constrained"
    )
    for axes_of, (trust, title) in zip(panels, PANELS.items(), strict=True):
        draw(axes_of, rows[rows["trust"] == trust], labels)
        axes_of.set_title(title, loc="left", fontsize="small")
    panels[0].set_ylabel("test accuracy (%)")
    save(figure, svg, rows)


def noised(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean and spread of every setting with a guarantee, and whom it trusts."""
    rows = mean_and_spread(runs[runs["epsilon"].notna()], ["method", *READ, "epsilon"])
    trust = rows["aggregation"].map({"open": "local", "masked": "secure sum"})
    return rows.assign(trust=trust.mask(rows["mechanism"] == "dp_fedavg", "trusted server"))


def draw(axes: plt.Axes, rows: pd.DataFrame, labels: dict[str, dict[str, Any]]) -> None:
    """Draw one panel: a line per upload, or per method that trains by rounds."""
    by_rounds = rows[rows["method"] != "fbftl"]
    for method, own in by_rounds.groupby("method"):
        look = {"color": labels[method]["colour"], "marker": labels[method]["marker"]}
        line(axes, own, f"{labels[method]['label']}, per client", look)
    for upload, own in by_upload(rows[rows["method"] == "fbftl"]):
        line(axes, own, upload.label.replace(" (masked)", ""), upload.look)
    if len(rows):
        ticks = sorted(rows["epsilon"].unique())
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{epsilon:g}" for epsilon in ticks])
        axes.legend(fontsize=6.5)
    axes.minorticks_off()
    axes.set_xlabel("privacy loss ε")
    axes.set_ylim(0, 100)


def line(axes: plt.Axes, own: pd.DataFrame, label: str, look: dict[str, Any]) -> None:
    """Draw accuracy over epsilon with bars of one standard deviation."""
    own = own.sort_values("epsilon")
    accuracy, spread = 100 * own["accuracy"], 100 * own["spread"].fillna(0)
    axes.errorbar(own["epsilon"], accuracy, spread, capsize=2, label=label, **look)
    mark_diverged(axes, own["epsilon"], accuracy, own["diverged"])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.output.svg, job.params.axes, job.params.methods),
    )
