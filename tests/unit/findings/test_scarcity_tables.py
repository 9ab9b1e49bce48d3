"""Scarcity and language: effects by seed, verdicts where something was printed, diverged seeds."""

import pandas as pd
import pytest
from fbftl.findings.tables import undertrained
from tabulate_fbftl_cost import COUNTED, ROUGE, by_method
from tabulate_fbftl_cost import beside_table4 as beside_published
from tabulate_fbftl_loss import beside_fig8 as with_published
from tabulate_fbftl_loss import side_by_side
from unit.papers.test_effects import runs

LOSSES = {"plr": 0.9}, {"plr": 0.9, "loss": "reshuffled"}
FIG8 = pd.DataFrame(
    {"series": "plotted", "plr": [0.9], "printed": ["0.8570"], "unit": "1", "source": "a paper"}
)


def scarcity(lost: list[float | None], shuffled: list[float | None]) -> pd.DataFrame:
    table = runs((LOSSES[0], lost), (LOSSES[1], shuffled))
    return side_by_side(table.assign(fraction=1.0))


@pytest.mark.parametrize(
    ("shuffled", "effect"),
    [([0.95] * 3, "raises"), ([0.99, 0.7, 0.9], "undecided"), ([0.8, 0.8, 0.8], "lowers")],
)
def test_what_reshuffling_adds_is_paired_by_seed(shuffled, effect):
    assert scarcity([0.9, 0.85, 0.87], shuffled)["effect"].item() == effect


def test_a_head_far_behind_ridge_regression_is_told_of():
    """Three points and a half behind, then two and a half."""
    lost = runs((LOSSES[0], [0.9, 0.9])).assign(fraction=1.0, ridge_accuracy=[0.94, 0.93])
    table = side_by_side(lost.assign(loss="persistent"))
    assert table["undertrained"].tolist() == ["ridge regression has 93.5%"]
    assert undertrained(0.9, 0.925) == undertrained(0.9, None) == ""


def test_methods_that_share_rates_have_rows_of_their_own():
    """A grid of methods and rates alone names no loss: every run's losses are for good."""
    table = side_by_side(
        runs(
            ({"method": "fbftl", "plr": 0.9}, [0.8, 0.6]),
            ({"method": "ftl_c", "plr": 0.9}, [0.5, 0.3]),
        ).assign(fraction=1.0, loss="persistent")
    )
    assert table[["method", "plr", "accuracy", "seeds"]].to_numpy().tolist() == [
        ["fbftl", 0.9, pytest.approx(0.7), 2],
        ["ftl_c", 0.9, pytest.approx(0.4), 2],
    ]
    published = with_published(table, FIG8, "")["published"].tolist()
    assert published == [0.857, pytest.approx(float("nan"), nan_ok=True)]


@pytest.mark.parametrize("further", [{"bits": 8}, {"sigma": 0.5, "mechanism": "relative"}])
def test_a_further_axis_is_not_averaged_over(further):
    table = side_by_side(
        runs(
            (LOSSES[0], [0.8]), (LOSSES[1], [0.9]),
            (LOSSES[0] | further, [0.5]), (LOSSES[1] | further, [0.5]),
        ).assign(fraction=1.0)
    )  # fmt: skip
    assert sorted(table["difference"]) == pytest.approx([0, 0.1])
    assert list(with_published(table, FIG8, "")["published"].dropna()) == [0.857]


def test_rouge_of_a_diverged_seed_is_nothing_beside_the_printed_score():
    printed = {"method": ["fbftl"], "trained_encoders": 4, "quantity": "rouge1"}
    table4 = pd.DataFrame(printed | {"printed": "50.0000", "unit": "points", "source": "a paper"})
    measured = dict.fromkeys([*COUNTED, *ROUGE], 50.0) | {"trained_encoders": 4}
    table = runs(({}, [0.5, 0.5, None])).pipe(
        lambda frame: frame.assign(**{k: v for k, v in measured.items() if k not in frame})
    )
    row = beside_published(by_method(table), table4, "").iloc[0]
    assert row["rouge1"] == pytest.approx(100 / 3)
    assert (row["seeds"], row["diverged"]) == (3, 1)
    assert (row["published"], row["verdict"]) == (50, "undecided")
