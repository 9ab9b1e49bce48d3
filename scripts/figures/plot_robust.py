"""Plot robust against standard accuracy, a point for each λ that mixes two normalisations.

One normalisation for both kinds of inputs has one point: nothing is left to choose.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import COLUMN_WIDTH, save, use_style
from fbftl.ground.binding import run_by_name

LINES = {
    "own": ("#7A0177", "o", "own normalisation: λ from 0 to 1"),
    "shared": ("#000000", "*", "one normalisation (adversarial FedAvg)"),
}
"""Colour, marker and label by whose the normalisation of disturbed inputs is."""

CLEAN = "clean inputs alone"
"""What stands for a normalisation where nothing is disturbed, FedAvg."""

PREFIX = "robust_accuracy_at_"


def main(runs: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure from an experiment's tidy table; pdf, png and numbers go beside it."""
    use_style()
    rows = points(read_tidy(runs, axes))
    figure, panel = plt.subplots(figsize=(COLUMN_WIDTH, 2.6), layout="constrained")
    for norms, (colour, marker, label) in LINES.items():
        line = rows[rows["disturbed_normalisation"] == norms].sort_values("share")
        if len(line):
            points_with_bars(
                panel, 100 * line["standard"], line, "robust", xerr=100 * line["standard_spread"],
                color=colour, marker=marker, markersize=4, elinewidth=0.6, label=label,
            )  # fmt: skip
            panel.plot(
                100 * line["standard"], 100 * line["random"], "_", color=colour, markersize=9
            )
    for clean in rows.loc[rows["disturbed_normalisation"] == CLEAN, "standard"]:
        panel.axvline(100 * clean, color="#888888", linestyle=":", label="FedAvg on clean inputs")
    panel.plot([], [], "_", color="#444444", markersize=9, label="random noise as large")
    panel.set(xlabel="accuracy on clean inputs (%)", ylabel="accuracy under PGD (%)")
    figure.legend(loc="outside lower center", ncols=1)
    save(figure, svg, rows)


def points(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row per normalisation and λ: both accuracies over seeds, and under random noise.

    FedAvg, which sees no disturbed inputs and is not attacked, has a row of its own.
    """
    rows = [
        {
            "disturbed_normalisation": CLEAN,
            "standard": seed_runs["test_accuracy"].mean(),
            "standard_spread": seed_runs["test_accuracy"].std(),
            "seeds": len(seed_runs),
            "diverged": int(seed_runs["diverged"].sum()),
        }
        for _, seed_runs in table[table["method"] == "fedavg"].groupby("setting")
    ]
    for norms, seed_runs in table[table["method"] == "robust"].groupby("disturbed_normalisation"):
        for column in sorted(name for name in seed_runs if name.startswith(PREFIX)):
            share = column.removeprefix(PREFIX)
            standard, robust = seed_runs[f"standard_accuracy_at_{share}"], seed_runs[column]
            rows.append(
                {
                    "disturbed_normalisation": norms,
                    "share": float(share),
                    "standard": standard.mean(),
                    "standard_spread": standard.std(),
                    "robust": robust.mean(),
                    "robust_spread": robust.std(),
                    "random": seed_runs[f"random_noise_accuracy_at_{share}"].mean(),
                    "seeds": len(seed_runs),
                    "diverged": int(seed_runs["diverged"].sum()),
                }
            )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    run_by_name(snakemake, main)
