"""Plot robust against standard accuracy, a point for each λ that mixes two normalisations.

One normalisation for both kinds of inputs has one point: nothing is left to choose.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import COLUMN_WIDTH, save, use_style
from fbftl.ground.logs import run_job

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
        own = rows[rows["norms"] == norms].sort_values("share")
        if len(own):
            panel.errorbar(
                100 * own["standard"], 100 * own["robust"], 100 * own["robust_spread"],
                100 * own["standard_spread"], color=colour, marker=marker, markersize=4,
                capsize=2, elinewidth=0.6, label=label,
            )  # fmt: skip
            panel.plot(100 * own["standard"], 100 * own["random"], "_", color=colour, markersize=9)
    for clean in rows.loc[rows["norms"] == CLEAN, "standard"]:
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
            "norms": CLEAN,
            "standard": own["test_accuracy"].mean(),
            "standard_spread": own["test_accuracy"].std(),
            "seeds": len(own),
            "diverged": int(own["diverged"].sum()),
        }
        for _, own in table[table["method"] == "fedavg"].groupby("setting")
    ]
    for norms, own in table[table["method"] == "robust"].groupby("norms"):
        for column in sorted(name for name in own if name.startswith(PREFIX)):
            share = column.removeprefix(PREFIX)
            standard, robust = own[f"standard_accuracy_at_{share}"], own[column]
            rows.append(
                {
                    "norms": norms,
                    "share": float(share),
                    "standard": standard.mean(),
                    "standard_spread": standard.std(),
                    "robust": robust.mean(),
                    "robust_spread": robust.std(),
                    "random": own[f"random_noise_accuracy_at_{share}"].mean(),
                    "seeds": len(own),
                    "diverged": int(own["diverged"].sum()),
                }
            )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output.svg, job.params.axes))
