"""What is drawn is what the table reports: marks, whiskers and bars, each where it belongs.

`test_marked_values.py` compares the numbers that are written beside a figure.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import plot_budget
import plot_crossover
import plot_domains
import plot_ecos
import plot_frameworks
import plot_packet_loss
import plot_sweep
import plot_trust
import pytest
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.style import THIN
from fbftl.study.methods import names, rows
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

Point = tuple[float, float, float]
"""Abscissa, height and half a whisker."""

METHODS = rows(names())


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close every figure after a test."""
    yield
    plt.close("all")


def figure_of(plot: Any, table: pd.DataFrame, folder: Path, *more: Any) -> plt.Figure:
    """Return the figure that a script draws of a table; it is not rendered."""
    table.to_csv(folder / "table.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plot, "save", lambda *_: None)
        plot.main(str(folder / "table.csv"), str(folder / "figure.svg"), *more)
    return plt.gcf()


def halves(whiskers: ErrorbarContainer) -> list[float]:
    """Return half the length of each whisker."""
    (vertical,) = whiskers.lines[2]
    return [(upper - lower) / 2 for (_, lower), (_, upper) in vertical.get_segments()]


def marked(axes: Axes) -> dict[str, list[Point]]:
    """Return the points of every line with whiskers, by the line's label."""
    lines: dict[str, list[Point]] = {}
    for line in axes.containers:
        if isinstance(line, ErrorbarContainer) and line.lines[0] is not None:
            at = line.lines[0].get_xydata().tolist()
            points = [(x, y, half) for (x, y), half in zip(at, halves(line), strict=True)]
            lines.setdefault(str(line.get_label()), []).extend(points)
    return lines


def bars(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """Return height and half a whisker of every bar, from the left, by the bars' label."""
    return {
        str(group.get_label()): [
            (bar.get_height(), half)
            for bar, half in zip(group, halves(group.errorbar), strict=True)
        ]
        for group in axes.containers
        if isinstance(group, BarContainer)
    }


def reported(
    table: pd.DataFrame, x: str, mean: str = "accuracy", spread: str = "spread", factor: float = 100
) -> list[Any]:
    """Return what a line should mark of rows of a table."""
    rows = table.sort_values(x)[[x, mean, spread]].itertuples(index=False)
    return [pytest.approx((at, factor * height, factor * half)) for at, height, half in rows]


def numbered(table: pd.DataFrame, **columns: float) -> pd.DataFrame:
    """Return a table with columns of numbers that differ from row to row.

    columns: the first number of each.
    """
    return table.assign(
        **{name: [first + 0.003 * row for row in range(len(table))]
           for name, first in columns.items()}
    )  # fmt: skip


def grid(**axes: list[Any]) -> pd.DataFrame:
    """Return a row for every combination of values."""
    return pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)


SEEN = [200, 800]
"""Rows that noisy descent sees."""


def budgets() -> pd.DataFrame:
    """Return a table of three schedules, and descent that needs no noise, at two numbers of rows.

    Rows of another number of steps, with momentum or of another accountant are not drawn.
    """
    plain = grid(schedule=["no noise", "uniform", "exp"], seen=SEEN, descent_steps=[40])
    others = [
        {"schedule": "uniform", "seen": 800, "descent_steps": 10},
        {"schedule": "uniform", "seen": 800, "descent_steps": 40, "descent_momentum": 0.9},
        {"schedule": "uniform", "seen": 800, "descent_steps": 40, "accountant": "exact"},
    ]
    table = pd.concat([plain, pd.DataFrame(others)], ignore_index=True)
    table["decay"] = table["schedule"].map({"exp": 2.0})
    table["sigma"] = table["schedule"].map({"uniform": 3.0, "exp": 2.0})
    table = table.fillna({"descent_momentum": 0.0, "accountant": "zcdp"})
    return numbered(table, loss=1.0, loss_spread=0.1, accuracy=0.5, accuracy_spread=0.01)


def test_private_budgets(tmp_path: Path) -> None:
    table = budgets()
    _, loss, accuracy = figure_of(plot_budget, table, tmp_path).axes
    shown = table.iloc[:6]
    labels = {"no noise": "no noise", "uniform": "uniform", "exp": "falling, a = 2"}
    for axes, score, factor in [(loss, "loss", 1), (accuracy, "accuracy", 100)]:
        lines = marked(axes)
        assert set(lines) == set(labels.values())
        for schedule, label in labels.items():
            rows = shown[shown["schedule"] == schedule]
            expected = reported(rows, "seen", score, f"{score}_spread", factor)
            # Schedules stand a little beside each other.
            points = [(round(x / 200) * 200, *heights) for x, *heights in lines[label]]
            assert points == expected


def test_domains(tmp_path: Path) -> None:
    table = grid(
        method=["splitmix", "heterofl"], budgets=["exponential", "step"],
        budget_order=["by_domain", "spread"], rescaled_init=[False, True], width=[0.5, 1.0],
    )  # fmt: skip
    # Bases of Split-Mix begin rescaled under both orders, HeteroFL's slices never do.
    table = table[(table["method"] == "splitmix") | ~table["rescaled_init"].astype(bool)]
    table["rescaled_layers"] = False
    alone = {"method": "fedavg", "rescaled_init": False, "rescaled_layers": False}
    fedavg = pd.DataFrame([alone | {"width": 0.5}, alone | {"width": 1.0}])
    scores = {"plain": 0.5, "plain_spread": 0.01, "noisy+tinted": 0.3, "noisy+tinted_spread": 0.02}
    table = numbered(pd.concat([table, fedavg], ignore_index=True), **scores)
    domains = ["plain", ["noisy", "tinted"]]
    figure = figure_of(plot_domains, table, tmp_path, domains, METHODS)
    shown = table[table["budgets"] == "exponential"]
    shown = shown[shown["rescaled_init"].eq(shown["method"] == "splitmix") & (shown["width"] == 1)]
    for axes, order in zip(figure.axes, ("by_domain", "spread"), strict=True):
        rows = shown[shown["budget_order"] == order].set_index("method")
        assert bars(axes) == {
            label: [
                pytest.approx((100 * row[name], 100 * row[f"{name}_spread"]))
                for name in ("plain", "noisy+tinted")
            ]
            for label, row in {
                "Split-Mix": rows.loc["splitmix"],
                "HeteroFL": rows.loc["heterofl"],
                "FedAvg that fits all budgets": table.iloc[-2],
            }.items()
        }


def purchases() -> pd.DataFrame:
    """Return a table of purchases by counts and by each other choice.

    Rows whose labels the client gives, or whose purpose is another, are not drawn.
    """
    counted = grid(purchase_rule=["ecos", "proximity"], centroids=[25, 50], sigma=[0.0, 10.0],
                   purchase=[150, 300, 600])  # fmt: skip
    counted = counted[(counted["purchase_rule"] == "ecos") | (counted["centroids"] == 50)]
    counted = counted[(counted["purchase_rule"] == "ecos") | (counted["sigma"] == 10)]
    blind = grid(purchase_rule=["kcenter", "random", "ideal"], purchase=[150, 300, 600])
    table = pd.concat([counted, blind], ignore_index=True)
    table = table.assign(label_source="bought", purchase_purpose="label", inherent_share=0.125)
    by_counts = table["purchase_rule"] == "ecos"
    table.loc[by_counts, ["purchase_allocation", "score_power", "bits"]] = ["cap", 1.0, 32]
    table["epsilon_added"] = (table["sigma"] + table["centroids"] / 100).where(table["sigma"] > 0)
    others = [{"purchase_allocation": "printed"}, {"score_power": 5.0}, {"bits": 8},
              {"label_source": "client"}, {"purchase_purpose": "compress"}]  # fmt: skip
    table = pd.concat([table, *(table.iloc[:1].assign(**other) for other in others)])
    table = table.reset_index(drop=True)
    return numbered(table, accuracy=0.5, spread=0.01, own_share=0.3, own_share_spread=0.03)


def test_purchases_by_counts(tmp_path: Path) -> None:
    table = purchases()
    share, accuracy, purchase, privacy = figure_of(plot_ecos, table, tmp_path).axes
    bought = table[(table["label_source"] == "bought") & (table["purchase_purpose"] == "label")]
    plain = bought[(bought["purchase_allocation"] == "cap") & (bought["score_power"] == 1)]
    plain = plain[plain["bits"] == 32]
    for centroids in (25, 50):
        label = f"R = {centroids}"
        rows = plain[(plain["centroids"] == centroids) & (plain["purchase"] == 300)]
        noisy = rows.dropna(subset="epsilon_added")
        assert marked(share)[label] == reported(rows, "sigma", "own_share", "own_share_spread")
        assert marked(accuracy)[label] == reported(rows, "sigma")
        assert marked(privacy)[label] == reported(noisy, "epsilon_added")
    for choice, (label, *_) in CHOICES.items():
        rows = plain if choice == "ecos" else table[table["purchase_rule"] == choice]
        if choice in ("ecos", "proximity"):
            rows = rows[(rows["centroids"] == 50) & (rows["sigma"] == 10)]
        assert marked(purchase)[label] == reported(rows, "purchase")
    blind = table[
        table["purchase_rule"].isin(["kcenter", "random", "ideal"]) & (table["purchase"] == 300)
    ]
    levels = [line.get_ydata()[0] for line in privacy.lines if line.get_linestyle() == ":"]
    assert levels == [pytest.approx(100 * mean) for mean in blind["accuracy"]]


def releases() -> pd.DataFrame:
    """Return a table of releases under each trust, one of them under two splits of epsilon."""
    table = grid(trust=list(plot_trust.PANELS), what=["ridge", "FedAvg"], epsilon=[1.0, 4.0, 16.0])
    table["method"] = table["what"].map({"ridge": "fbftl", "FedAvg": "fedavg"})
    apart = table[table["trust"] == "local"]
    halved = apart.assign(epsilon_labels=apart["epsilon"] / 2)
    table = pd.concat([table, halved], ignore_index=True)
    table = table.assign(message="statistics", head="ridge", diverged=0)
    table.loc[table["method"] == "fedavg", ["message", "head"]] = [None, None]
    return numbered(table, accuracy=0.25, spread=0.01)


def test_models_of_trust(tmp_path: Path) -> None:
    table = releases()
    figure = figure_of(plot_trust, table.reindex(table.index[::-1]), tmp_path, METHODS)
    for axes, trust in zip(figure.axes, plot_trust.PANELS, strict=True):
        rows, lines = table[table["trust"] == trust], marked(axes)
        expected = {
            what + (", 50% of ε for labels" if split else ""): reported(line, "epsilon")
            for (what, split), line in rows.groupby(["what", rows["epsilon_labels"].notna()])
        }
        assert lines == expected


def test_sweeps_of_ones_own(tmp_path: Path) -> None:
    table = grid(method=["fbftl", "ftl_c"], epsilon=[1.0, 4.0, None]).assign(diverged=0)
    table = numbered(table, test_accuracy=0.5, spread=0.01)
    figure = figure_of(plot_sweep, table, tmp_path, "epsilon", ["method", "epsilon"], METHODS)
    (axes,) = figure.axes
    noisy = table.dropna(subset="epsilon")
    assert marked(axes) == {
        label: reported(noisy[noisy["method"] == method], "epsilon", "test_accuracy")
        for method, label in [("fbftl", "FbFTL"), ("ftl_c", "FTL$_c$")]
    }
    levels = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    without = table.loc[table["epsilon"].isna(), "test_accuracy"]
    assert levels == [pytest.approx(100 * mean) for mean in without]


def frameworks() -> pd.DataFrame:
    return numbered(
        grid(method=["fd", "fbftl", "fedavg"], partition=["iid", "shards"], variant=["a 1", "a 2"])
        .assign(diverged=0), up=1e3, accuracy=0.5, spread=0.01,
    )  # fmt: skip


def test_frameworks(tmp_path: Path) -> None:
    table = frameworks()
    figure = figure_of(plot_frameworks, table, tmp_path, METHODS)
    for axes, partition in zip(figure.axes, ("iid", "shards"), strict=True):
        points = sorted(point for line in marked(axes).values() for point in line)
        assert points == reported(table[table["partition"] == partition], "up")


def test_legends_draw_markers_with_the_edge_that_all_have(tmp_path: Path) -> None:
    figure = figure_of(plot_trust, releases(), tmp_path, METHODS)
    markers = [
        line
        for legend in figure.findobj(Legend)
        for line in legend.findobj(Line2D)
        if line.get_marker() in Line2D.filled_markers
    ]
    assert len({line.get_marker() for line in markers}) >= 2
    assert {line.get_markeredgecolor() for line in markers} == {"white"}
    assert {line.get_markeredgewidth() for line in markers} == {THIN}


def test_every_loss_has_a_row_with_its_ledger_and_its_formula_inside_the_panel(
    root: Path, tmp_path: Path
) -> None:
    table = pd.read_csv(root / "docs" / "results" / "digits" / "tables" / "packet_loss.csv")
    lossy = table[table["blr"] > 0]
    assert lossy["plr_ledger"].eq(0).any()
    left, _ = figure_of(plot_packet_loss, table, tmp_path, METHODS).axes
    drawn = {line: line.get_xydata() for line in left.lines if len(line.get_xdata())}
    by_ledger = [at for line, at in drawn.items() if line.get_marker() != "|"]
    by_formula = [at for line, at in drawn.items() if line.get_marker() == "|"]
    for points, rates in ((by_ledger, "plr_ledger"), (by_formula, "plr_formula")):
        at = pd.DataFrame([tuple(point) for line in points for point in line], columns=["x", "y"])
        assert sorted(at["y"]) == list(range(len(lossy)))
        assert at["x"].dropna().sort_values().tolist() == pytest.approx(
            sorted(100 * lossy[rates].dropna())
        )
        assert at["x"].dropna().between(*left.get_xlim(), inclusive="neither").all()


def test_a_client_has_the_samples_that_there_are_for_it() -> None:
    """Ten samples at clients of eight are five for each; held-out means make the upload larger."""
    runs = pd.DataFrame(
        [
            ("features", "mlp", "fbftl", 0, 2, 5 * 4.0),
            ("means", "fedncm", "a", 0, 2, 15.0),
            ("means", "fedncm", "a", 1, 2, 15.0),
            ("means", "lda", "b", 0, 2, 25.0),
            ("means", "lda", "b", 1, 2, 27.0),
        ],
        columns=["message", "head", "setting", "seed", "upload_batches", "numbers_per_batch"],
    ).assign(aggregation="open", offered=10)
    points = plot_crossover.measured(runs)
    assert points["samples"].tolist() == [5.0] * 3
    assert points["numbers"].tolist() == [20.0, 15.0, 26.0]
    assert plot_crossover.held_out(points).tolist() == [False, False, True]
