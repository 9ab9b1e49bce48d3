"""Figures of runs are drawn of made-up runs as their jobs call them, and say what they show."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from drawn import drawing, unrendered
from fbftl.findings.story import alternative_of
from fbftl.findings.style import save, use_style
from fbftl.study.methods import names, rows

ROOT = Path(__file__).parents[3]

METHODS = rows(names())

SEEDS = (0, 1, 2)


def runs(*settings: str, **scores: float) -> pd.DataFrame:
    """Return a tidy row per setting and seed, each a little above the one before."""
    table = [
        {"task": "t", "setting": setting, "method": setting.split("+")[0], "seed": seed}
        | {"diverged": False, "offered": 9, "received": 9, "seen": 9}
        | dict(part.split("=") for part in setting.split("+")[1:])
        | {name: score + 0.02 * place + 0.001 * seed for name, score in scores.items()}
        for place, setting in enumerate(settings)
        for seed in SEEDS
    ]
    return pd.DataFrame(table)


def series(*settings: str, **curves: list[float]) -> pd.DataFrame:
    """Return the rows of series of settings, a step each."""
    return pd.DataFrame(
        {"task": "t", "setting": setting, "seed": seed,
         "series": name, "by": "round", "step": step, "value": value + 0.001 * seed}
        for setting in settings
        for seed in SEEDS
        for name, values in curves.items()
        for step, value in enumerate(values, start=1)
    )  # fmt: skip


EPPFL = ["fedavg+local_epochs=2", "eppfl+local_epochs=2", "eppfl+local_epochs=5", "fbftl"]
HE = ["fade+network=he+adversary=plain+majority_users=4", "fade+network=he+majority_users=4"]
LAMBDAS = {
    f"{kind}_accuracy_at_{share}": 0.5 + 0.1 * share
    for kind in ("standard", "robust", "random_noise")
    for share in (0.0, 1.0)
}
ONE_SHOT = {"projection": None, "components": 1, "covariance": "diagonal", "aggregation": "open",
            "bits": 32, "mechanism": "none", "means_per_class": 1}  # fmt: skip

FIGURES: dict[str, dict[str, Any]] = {
    "plot_eppfl.epochs": {
        "runs": runs(*EPPFL[1:3], test_accuracy=0.5),
        "series": series(*EPPFL[1:3], test_accuracy=[0.2, 0.4]), "axes": {},
    },
    "plot_thesis.fairness": {
        "runs": runs(*HE, delta_eo=0.1, balanced_accuracy=0.8, probe=0.7).assign(network="he"),
        "axes": {"adversary": None},
    },
    "plot_fedfeat.feature_noise": {
        "table": pd.DataFrame({
            "mechanism": ["none", "feature_gaussian", "feature_gaussian"],
            "epsilon": [None, 1.0, 8.0], "accuracy": [0.5, 0.6, 0.7], "spread": 0.01, "diverged": 0,
            "feature_clip": None, "mutual_information": 0.5, "feature_correlation": 0.5,
            "kl_divergence": 0.5, "feature_norm": 5.0,
        }),
    },
    "plot_survey.federation": {
        "series": series("fedavg", "fedavg+clients=1", test_accuracy=[0.2, 0.5]),
        "table1": str(ROOT / "published" / "survey" / "table1.csv"),
    },
    "plot_survey.gains": {
        "series": series("fd+partition=shards+seed_samples=10", "fd", gain_by_client=[-0.1, 0.2]),
        "methods": METHODS,
    },
    "plot_thesis_widths.robust": {
        "runs": runs("robust+disturbed_normalisation=own", "robust+disturbed_normalisation=shared",
                     test_accuracy=0.7, **LAMBDAS), "axes": {"robust_weight": 0.0},
    },
    "plot_rivals.uploads_by": {
        "runs": runs("one_shot+alpha=0.1", "one_shot+alpha=1.0", test_accuracy=0.8).assign(
            message="means", head="ncm", **ONE_SHOT
        ),
        "axis": "alpha", "axes": {}, "task_value": None,
    },
    "plot_survey.votes": {
        "series": series("fedvote+vote_round=3", "fedvote+vote_round=5", votes=[3.0, 1.0]),
        "models": {"digits": "target", "letters_1": "letters"},
    },
}  # fmt: skip
"""Figures of runs or their series, and what their jobs hand to them."""


def handed(block: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what a job hands to a script, its tables as files."""
    arguments = dict(block) | {"svg": str(folder / "figure.svg")}
    for name, value in block.items():
        tables = value if isinstance(value, list) else [value]
        if isinstance(tables[0], pd.DataFrame):
            paths = [str(folder / f"{name}_{number}.csv") for number in range(len(tables))]
            for table, path in zip(tables, paths, strict=True):
                table.to_csv(path, index=False)
            arguments[name] = paths if isinstance(value, list) else paths[0]
    return arguments


@pytest.mark.parametrize("script", FIGURES)
def test_a_figure_of_runs_says_something(script, tmp_path):
    unrendered(drawing(script), **handed(FIGURES[script], tmp_path))
    assert len(pd.read_csv(tmp_path / "figure.csv"))


TITLE = "FTL$_c$ has 98.5% & more"


def saved(path: Path) -> Path:
    """Write a figure with a legend outside of its panel."""
    use_style()
    figure, axes = plt.subplots(figsize=(3, 2), layout="constrained")
    axes.plot([1, 2], [3, 4], label="a line")
    axes.set_title("Left", loc="left")
    axes.set(xlabel="a", ylabel="b (<%>)")
    figure.legend(loc="outside upper center")
    save(figure, path, pd.DataFrame({"x": [1, 2]}), TITLE)
    (title,), (legend,) = figure.texts, figure.legends
    boxes = [artist.get_window_extent() for artist in (title, legend, axes)]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))
    plt.close(figure)
    return path


@pytest.fixture(scope="module")
def svg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("story") / "figure.svg")


def test_a_figure_that_is_drawn_again_has_the_same_bytes(svg, tmp_path):
    again = saved(tmp_path / "figure.svg")
    for suffix in (".svg", ".pdf", ".png", ".csv"):
        assert svg.with_suffix(suffix).read_bytes() == again.with_suffix(suffix).read_bytes()


def test_title_and_alternative_text_are_in_every_file(svg):
    text = svg.read_text(encoding="utf-8")
    assert "<title>FTL_c has 98.5% &amp; more</title>" in text
    assert (
        alternative_of(text) == "FTL_c has 98.5% & more. Left: b (<%>) against a. Labels: a line."
    )
    for suffix in (".pdf", ".png"):
        assert b"FTL_c has 98.5" in svg.with_suffix(suffix).read_bytes()
