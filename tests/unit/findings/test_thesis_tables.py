"""Tables of the thesis: purchases, fairness, widths."""

import numpy as np
import pandas as pd
import pytest
import tabulate_thesis
from fbftl.findings.outsourcing import purchases
from fbftl.findings.runs import reached
from fbftl.study.outsourcing import ASKED
from fbftl.study.settings import DEFAULTS
from plot_thesis_widths import as_in_the_thesis, orders_of
from tabulate_thesis_widths import at_widths, costs, in_each, summary, uplink
from unit.findings.made_up import of_seeds


def rows(*settings: dict) -> pd.DataFrame:
    """Return a tidy table of some settings, two seeds of each."""
    plain = {axis: DEFAULTS[axis] for axis in ASKED}
    measured = {"own_share": 0.3, "inherent_share": 0.1, "bought": 300.0, "downlink_bits": 9.0}
    measured["frozen_bits"] = 99.0
    measured |= {"labelled": 300.0, "label_accuracy": 1.0}
    return pd.DataFrame(
        plain
        | measured
        | {"setting": str(sorted(axes)) + str(axes), "seed": seed, "diverged": False}
        | {"test_accuracy": 0.8 + 0.02 * seed, "uplink_bits": 0.0}
        | axes
        for axes in settings
        for seed in (0, 1)
    )


def bought(choice: str = "ecos", **axes) -> dict:
    return {"purchase_rule": choice, "purchase": 300} | axes


def test_a_row_is_a_setting_and_choices_without_counts_have_neither_noise_nor_centroids():
    table = purchases(rows(bought("random"), bought(sigma=10.0), bought()))
    assert table["purchase_rule"].tolist() == ["ecos", "ecos", "random"]
    assert sorted(table["sigma"][:2]) == [0.0, 10.0]
    assert table[["sigma", "centroids"]].iloc[2].isna().all()
    assert table["accuracy"].round(6).eq(0.81).all()


def test_epsilons_are_by_kind_of_neighbours():
    guarantees = pd.DataFrame(
        {"setting": "a", "given_mechanism": "counts", "adjacency": kind, "given_epsilon": value}
        for kind, value in (("replace-one", 0.5), ("add-remove", 0.2))
    )
    assert reached(guarantees, adjacency="add-remove").to_dict() == {"a": 0.2}
    assert reached(guarantees, given_mechanism="other").empty


AXES = dict.fromkeys((*tabulate_thesis.FAIRNESS_AT, *tabulate_thesis.NOISE, *tabulate_thesis.GAME))


def runs(delta_eo: float, probe: float, accuracy: float = 0.9) -> pd.DataFrame:
    """Return five seeds without an adversary, and five with one that measures these."""
    drift, rows = 0.001 * np.array([0, 1, 2, 0, 1]), []
    for adversary, values in (("none", (0.2, 0.8, 0.9)), ("plain", (delta_eo, probe, accuracy))):
        odds, read, right = (value + drift for value in values)
        rows += of_seeds(
            AXES | {"method": "fade", "adversary": adversary},
            delta_eo=odds, probe=read, balanced_accuracy=right, accuracy_by_chance=[0.75] * 5,
        )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("measured", "finding"),
    [
        ((0.1, 0.6), "ΔEO and probe fell"),
        ((0.1, 0.85), "ΔEO fell"),
        ((0.25, 0.6), "probe fell"),
        ((0.2, 0.8), "neither is seen to fall"),
        ((0.0, 0.5, 0.74), "the task is at chance"),
    ],
)
def test_what_fell_is_told_apart(measured, finding):
    table = tabulate_thesis.fairness_rows(runs(*measured)).set_index("adversary")
    assert table.loc["plain", "finding"] == finding
    assert table.loc["none", "finding"] == ""


RUN = {
    "measures": {"accuracy_x0.5": {}, "accuracy_x1": {}, "epoch": {}},
    "repetitions": [
        {
            "seed": seed, "diverged": seed == 1, "budgets": [1, 0.5, 0.5], "accuracy_x0.5": 0.5,
            "accuracy_x1": 0.7, "test_accuracy": 0.7,
            "series": {"domain_accuracy_x0.5": [0.4, 0.6], "domain_accuracy_x1": [0.8, 0.6]},
        }
        for seed in (0, 1)
    ],
}  # fmt: skip
NETWORK = {"kind": "mlp", "fc": [8], "cut": "fc1"}


def test_a_diverged_seed_counts_nothing_at_any_width():
    (half, *scores), (whole, accuracies, domains) = at_widths(RUN, 0.5)
    assert (half, scores) == (0.5, [[0.5, 0.0], [[0.4, 0.6], [0.0, 0.0]]])
    assert (whole, accuracies, domains) == (1.0, [0.7, 0.0], [[0.8, 0.6], [0.0, 0.0]])


def test_a_run_of_one_width_has_its_own():
    alone = RUN | {"measures": {}}
    ((width, accuracies, domains),) = at_widths(alone, 0.25)
    assert (width, accuracies, domains) == (0.25, [0.7, 0.0], [[], []])


def test_each_domain_has_its_mean_and_spread_over_seeds():
    columns = in_each(["plain", "rotated"], [[0.8, 0.6], [0.6, 0.6]])
    assert columns == {
        "plain": pytest.approx(0.7), "plain_spread": pytest.approx(0.02**0.5),
        "rotated": 0.6, "rotated_spread": 0,
    }  # fmt: skip
    assert in_each(["plain"], [[], []]) == {}


def test_gaps_are_by_seed():
    columns = summary([0.5, 0.6], [0.6, 0.9])
    assert (columns["accuracy"], columns["gap"]) == (pytest.approx(0.55), pytest.approx(-0.2))
    assert summary([0.5, 0.6], None)["gap"] is None


def test_uplink_of_a_round_and_of_a_client_at_a_width():
    sent = pd.DataFrame(
        {
            "seed": [0, 0, 0, 1, 1, 1],
            "round": [1] * 6,
            "client": [0, 1, 2] * 2,
            "bits": [100, 50, 30, 100, 50, 30],
        }
    )
    assert uplink(RUN, sent, 0.5) == {"uplink_bits": 180, "client_bits": 40, "clients": 2}
    assert uplink(RUN, sent, 1.0) == {"uplink_bits": 180, "client_bits": 100, "clients": 1}
    assert uplink(RUN, sent, 0.25)["clients"] == 0


@pytest.mark.parametrize(("method", "parameters"), [("splitmix", 70), ("heterofl", 67)])
def test_mixtures_cost_their_bases(method, parameters):
    """Of 4 inputs, 8 hidden units and 3 classes: two bases of 4 x 5 + 3 x 5, or 8 x 5 + 3 x 9."""
    setting = {"method": method, "width": 0.5}
    counts = costs(NETWORK, (2, 2, 1), 3, setting, 1.0)
    assert counts == {"parameters": parameters, "multiplications": 4 * 8 + 8 * 3}


def table(*runs: tuple[str, str | None, bool]) -> pd.DataFrame:
    """Return rows of methods with the order of their budgets, and whether bases begin rescaled."""
    rows = pd.DataFrame(runs, columns=["method", "budget_order", "rescaled_init"])
    return rows.assign(budgets="exponential", rescaled_layers=False)


def test_bases_begin_rescaled_where_such_ran_under_every_order():
    one = table(("splitmix", "by_domain", False), ("splitmix", "by_domain", True))
    assert as_in_the_thesis(one)["rescaled_init"].tolist() == [True]
    both = pd.concat([one, table(("splitmix", "spread", False))], ignore_index=True)
    assert as_in_the_thesis(both)["rescaled_init"].tolist() == [False, False]


def test_an_order_has_a_panel_where_budgets_ran_under_it():
    rows = as_in_the_thesis(table(("fedavg", None, False), ("sheterofl", "spread", False)))
    assert list(orders_of(rows)) == ["spread"]
