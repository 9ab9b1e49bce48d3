"""Plot how clients' votes fall on the source models, in each round of a vote."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.logs import run_job


def main(series: str, svg: str, models: dict[str, str]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and source model.
        svg: path of the svg.
        models: what each source model learnt from, in the order of the votes.
    """
    use_style()
    rows = read_tidy(series)
    found = shares(rows[rows["series"] == "votes"], list(models))
    save(draw(found, list(models)), svg, found)


def shares(votes: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """Return each model's share of a setting's votes, mean and spread over seeds.

    Settings that leave models out are left out.
    """
    counts = votes.groupby("setting")["step"].max()
    whole = votes[votes["setting"].map(counts) == len(models)]
    total = whole.groupby(["setting", "seed"])["value"].transform("sum")
    shared = whole.assign(share=whole["value"] / total)
    found = shared.groupby(["setting", "step"])["share"].agg(["mean", "std"]).reset_index()
    named = found["step"].map(dict(enumerate(models, start=1)))
    return found.assign(model=named, asked=found["setting"].map(asked)).drop(columns="step")


def asked(setting: str) -> str:
    """Return what tells a setting from the others."""
    axes = dict(part.split("=") for part in setting.split("+")[1:])
    samples, similarity = axes.get("most_samples", "all"), axes.get("similarity", "unbiased")
    return f"{samples} samples, round {axes['selection_round']}, {similarity}"


def draw(found: pd.DataFrame, models: list[str]) -> plt.Figure:
    """Return the figure: bars by source model, side by side for the settings."""
    figure, axes = plt.subplots(figsize=(TEXT_WIDTH, 0.4 * TEXT_WIDTH), layout="constrained")
    groups = list(found.groupby("asked"))
    width = 0.8 / len(groups)
    for place, (colour, (name, own)) in enumerate(
        zip(ordered_colors(len(groups)), groups, strict=True)
    ):
        at = np.array([models.index(model) for model in own["model"]])
        left = at + (place - (len(groups) - 1) / 2) * width
        axes.bar(left, 100 * own["mean"], width, yerr=100 * own["std"], color=colour, label=name)
    axes.set_xticks(range(len(models)), models)
    axes.set(ylabel="share of the votes (%)", xlabel="source model")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.series, job.output.svg, job.params.models))
