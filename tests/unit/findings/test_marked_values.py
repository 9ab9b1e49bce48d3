"""What a figure marks is what the table of its experiment reports.

Figures write what they plot as csv, and each number of it is drawn; where marks, whiskers and bars
stand is in `test_drawn_values.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plot_eppfl
import plot_fedfeat
import plot_thesis
import pytest
import tabulate_eppfl
import tabulate_fedfeat
import tabulate_thesis
from drawn import drawing, unrendered
from fbftl.findings.style import DIVERGED
from fbftl.study.methods import names, rows
from unit.findings.made_up import of_seeds

ROOT = Path(__file__).parents[3]

PRINTED = ROOT / "published" / "eppfl" / "printed.csv"


COMMITTED = {
    "plot_fbftl.compression": "compression",
    "plot_fbftl.rate_distortion": "compression",
    "plot_fbftl.noise": "noise",
    "plot_fbftl.packet_loss": "packet_loss",
    "plot_fbftl.privacy": "privacy",
    "plot_rivals.uploads": "uploads",
}
"""Figures of tables of the digits, by the name of the table."""

KEPT = [(script, "digits", name) for script, name in COMMITTED.items()]
KEPT += [
    ("plot_eppfl.privacy", "digits-eppfl-full", "eppfl"),
    ("plot_rivals.trust", "rival_digits", "trust"),
]
"""Figures, each with a task and the name of its kept table."""

WITHOUT_METHODS = (
    "plot_survey.dpsgd", "plot_eppfl.privacy", "plot_fedfeat.feature_noise", "plot_rivals.uploads",
)  # fmt: skip
"""Figures that need no looks of methods."""


ACROSS = ("plot_fbftl.compression", "plot_fbftl.packet_loss")
"""Figures with a row per setting, whose scores are along the x axis."""


def within(marked: pd.DataFrame, table: pd.DataFrame) -> bool:
    """Whether each row of a figure is one of its table's, in every column that both have."""
    shared = [column for column in marked if column in table]
    assert {"accuracy", "spread"} <= set(shared)
    kept = marked[shared].astype(str).agg("|".join, axis=1)
    return set(kept) <= set(table[shared].astype(str).agg("|".join, axis=1))


@pytest.mark.parametrize(("script", "task", "name"), KEPT)
def test_a_figure_of_a_table_marks_its_rows(
    script: str, task: str, name: str, tmp_path: Path
) -> None:
    csv = ROOT / "docs" / "results" / task / "tables" / f"{name}.csv"
    table, svg = pd.read_csv(csv), tmp_path / "figure.svg"
    looks = [] if script in WITHOUT_METHODS else [rows(table["method"].unique())]
    printed = [str(PRINTED)] if script == "plot_eppfl.privacy" else []
    figure = unrendered(drawing(script), str(csv), *printed, str(svg), *looks)
    marked = pd.read_csv(svg.with_suffix(".csv"), float_precision="round_trip")
    scores = marked["difference" if script == "plot_fbftl.packet_loss" else "accuracy"].dropna()
    assert len(scores)
    if script == "plot_fbftl.compression":
        written = [text.get_text() for axes in figure.axes for text in axes.texts]
        values = sorted(text for text in written if text != DIVERGED)
        assert values == sorted(f"{100 * score:.1f}" for score in scores)
    along = "get_xdata" if script in ACROSS else "get_ydata"
    assert all(scores.map(lambda score: is_drawn(figure, score, along)))
    if script == "plot_fbftl.noise":
        # Without noise there is one run, drawn for both ways of drawing it.
        marked = marked.drop(columns="noise_draw")
    assert len(marked)
    assert within(marked, table)


def is_drawn(figure: plt.Figure, score: float, along: str = "get_ydata") -> bool:
    """Tell whether a share is where a mark stands, in per cent."""
    lines = [getattr(line, along)() for axes in figure.axes for line in axes.lines]
    return bool(np.isclose(np.concatenate(lines).astype(float), 100 * score).any())


RESULT = {"accuracy": [0.5, 0.625, 0.75], "spread": [0.01, 0.02, 0.03], "diverged": 0}
"""What a made-up table reports of three settings."""

MADE_UP: dict[str, dict[str, Any]] = {
    "plot_survey.dpsgd": {"epsilon": [None, 1.0, 8.0], "published": 0.9},
    "plot_fedfeat.feature_noise": {
        "mechanism": ["none", "feature_gaussian", "feature_gaussian"], "epsilon": [None, 1.0, 8.0],
        "feature_clip": None, "mutual_information": 0.5, "feature_correlation": 0.5,
        "kl_divergence": 0.5, "feature_norm": 5.0,
    },
    "plot_survey.frameworks": {
        "method": ["fd", "fedmd", "fedvote"], "partition": "iid", "variant": "local epochs 1",
        "up": [1e3, 1e4, 1e5],
    },
    "plot_thesis_widths.widths": {
        "method": "splitmix", "budgets": "exponential", "budget_order": "by_domain",
        "rescaled_init": False, "rescaled_layers": False, "width": [0.25, 0.5, 1.0],
        "uplink_bits": [1e5, 2e5, 4e5],
    },
    "plot_thesis_widths.width_laws": {
        "method": ["splitmix", "splitmix", "fedavg"], "budgets": ["steps", "8-2-1-1", None],
        "budget_order": ["spread", "by_domain", None], "clients_per_round": [None, 4, None],
        "rescaled_init": [True, False, False], "width": [0.25, 0.5, 1.0],
    },
}  # fmt: skip
"""Tables of figures that have no committed one."""


@pytest.mark.parametrize("script", MADE_UP)
def test_a_figure_of_a_made_up_table_marks_its_rows(script: str, tmp_path: Path) -> None:
    table, svg = pd.DataFrame(RESULT | MADE_UP[script]), tmp_path / "figure.svg"
    table.to_csv(tmp_path / "table.csv", index=False)
    more = [rows(names())] if script not in WITHOUT_METHODS else []
    figure = unrendered(drawing(script), str(tmp_path / "table.csv"), str(svg), *more)
    marked = pd.read_csv(svg.with_suffix(".csv"))
    assert all(marked["accuracy"].map(lambda score: is_drawn(figure, score)))
    assert len(marked) == len(table)
    assert within(marked, pd.read_csv(tmp_path / "table.csv"))


def game(**axes: Any) -> pd.DataFrame:
    """Return two seeds of the game with groups."""
    axis_names = (*tabulate_thesis.FAIRNESS_AT, *tabulate_thesis.NOISE, *tabulate_thesis.GAME)
    values = (
        dict.fromkeys(axis_names) | {"method": "fade", "adversary": "none", "network": "mlp"} | axes
    )
    measured = {name: (0.5, 0.75) for name in ("balanced_accuracy", "accuracy_1", "delta_eo")}
    measured |= {"probe": (0.5, 0.6), "accuracy_by_chance": (0.5, 0.5)}
    return pd.DataFrame(of_seeds(values, **measured))


def fairness() -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = game(majority_users=4)
    table = tabulate_thesis.fairness_rows(runs)
    columns = {"balanced_accuracy": "accuracy", "balanced_accuracy_spread": "spread"}
    marked = plot_thesis.summary(runs).rename(columns={"accuracy_spread": "spread"})
    return marked[["accuracy", "spread"]], table[list(columns)].rename(columns=columns)


def domain_adaptation(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = game(minority_participation=0.5)
    runs.assign(task="t").to_csv(folder / "runs.csv", index=False)
    unrendered(
        plot_thesis.domain_adaptation, str(folder / "runs.csv"), str(folder / "figure.svg"), {}
    )
    marked = pd.read_csv(folder / "figure.csv").rename(columns={"mean": "accuracy"})
    columns = {"accuracy_1": "accuracy", "accuracy_1_spread": "spread"}
    table = tabulate_thesis.fairness_rows(runs)[list(columns)].rename(columns=columns)
    return marked.rename(columns={"std": "spread"})[["accuracy", "spread"]], table


def eppfl() -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = pd.DataFrame(
        of_seeds({"method": "eppfl"}, test_accuracy=(0.5, 0.75), uplink_bits=(8e6, 8e6))
    )
    repetitions = [
        {"test_accuracy": accuracy, "protected_accuracy": 0.4, "diverged": False}
        for accuracy in runs["test_accuracy"]
    ]
    measures = {name: {"diverged": 0.0} for name in ("test_accuracy", "protected_accuracy")}
    table = tabulate_eppfl.scores({"measures": measures, "repetitions": repetitions})
    marked = plot_eppfl.uplinks(runs)
    return marked[["accuracy", "spread"]], pd.DataFrame([table])[["accuracy", "spread"]]


def retraining() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two seeds that stop after rounds 1 and 3, where the mean curve is elsewhere."""
    axes = dict.fromkeys(tabulate_fedfeat.RETRAINED_BY) | {
        "network": "cnn", "partition": "iid", "method": "fedfeat", "features_from": "averaged",
        "server_epochs": 5, "local_epochs": 5,
    }  # fmt: skip
    runs = pd.DataFrame(
        of_seeds(axes, test_accuracy=(0.5, 0.8), test_accuracy_best=(0.5, 0.8), epoch=(1, 3))
    )
    curves = ((0.5, 0.4, 0.1), (0.2, 0.1, 0.8))
    series = pd.DataFrame(
        {"setting": runs["setting"][0], "seed": seed, "series": "test_accuracy", "step": step,
         "value": value}
        for seed, curve in enumerate(curves)
        for step, value in enumerate(curve, start=1)
    )  # fmt: skip
    plotted = plot_fedfeat.plotted(runs, series)
    marked = plotted[plotted["marked"]]
    assert marked["round"].tolist() == [2]
    assert marked["accuracy"].tolist() == [0.65]
    columns = ["network", "partition", "method", "features_from", "accuracy", "spread"]
    return marked[columns], tabulate_fedfeat.retraining_rows(runs)[columns]


@pytest.mark.parametrize("both", [fairness, domain_adaptation, eppfl, retraining])
def test_a_figure_of_runs_marks_what_their_table_reports(
    both: Callable[..., tuple[pd.DataFrame, pd.DataFrame]], tmp_path: Path
) -> None:
    """That of `uplink` reads ledgers too: `test_exchanged.py` has it."""
    marked, table = both(tmp_path) if both is domain_adaptation else both()
    assert len(marked)
    assert within(marked.round(12), table.round(12))
