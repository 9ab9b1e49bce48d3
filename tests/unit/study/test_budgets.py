"""Widths: units that a narrower network has, and what clients can train."""

from fractions import Fraction
from typing import get_args

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.widths import Law, bases_in, budgets, narrowed, spread_over

CNN = {"kind": "cnn", "channels": [[16, 32], [8]], "fc": [64], "cut": "fc1"}


def test_a_narrower_network_has_that_share_of_every_hidden_layer():
    half = narrowed(CNN, Fraction(1, 4))
    assert (half["channels"], half["fc"], half["cut"]) == ([[4, 8], [2]], [16], "fc1")
    assert narrowed({"kind": "mlp", "fc": [9]}, 1 / 3)["fc"] == [3]
    assert narrowed(CNN, 1) == CNN


def test_a_layer_without_whole_units_is_refused():
    with pytest.raises(UserError, match=r"a layer of 8 units has no whole number .* width 1/16"):
        narrowed(CNN, 1 / 16)


def test_bases_make_the_whole():
    assert [bases_in(width) for width in (1, 0.5, 1 / 3, 0.125)] == [1, 2, 3, 8]
    with pytest.raises(UserError, match=r"width is 0.3, of which no whole number"):
        bases_in(0.3)


@pytest.mark.parametrize("clients", [1, 7, 20])
@pytest.mark.parametrize("law", get_args(Law))
def test_budgets_fall_from_client_to_client_and_hold_a_base(law, clients):
    widths = budgets(law, clients, 8)
    assert widths == sorted(widths, reverse=True)
    assert len(widths) == clients
    assert {1, *widths} <= set(range(1, 9))


def test_budgets_by_the_corrected_formula():
    assert budgets("exponential", 8, 8) == [8, 8, 4, 4, 2, 2, 1, 1]
    assert budgets("exponential", 5, 8) == [8, 8, 4, 2, 1]
    assert budgets("uniform", 8, 4) == [4, 4, 3, 3, 2, 2, 1, 1]
    assert budgets("steps", 4, 8) == [8, 6, 4, 2]


def test_the_log_normal_law_has_its_median_where_the_thesis_has_it():
    widths = budgets("lognormal", 2001, 1000)
    assert widths[1000] == 450


def test_the_released_laws_by_hand():
    assert budgets("8-2-1-1", 8, 8) == [8, 8, 8, 8, 4, 4, 1, 1]
    # Φ(ln(w / 0.4) / 0.5) at w = 1/8, 2/8, ... is 0.010, 0.174, 0.449, 0.672, 0.814, 0.896, 0.941
    # and 0.967.
    assert budgets("ln0.5_0.4", 10, 8) == [8, 6, 4, 4, 3, 3, 2, 2, 2, 1]


def test_a_budget_below_one_base_is_refused():
    with pytest.raises(UserError, match=r"train a width of 0\.125, but a base has 0\.25"):
        budgets("exponential", 4, 4)


def test_spread_budgets_are_the_same_ones_and_every_domain_has_each():
    domains = [0] * 4 + [1] * 4
    widths = spread_over(domains, budgets("exponential", 8, 8))
    assert sorted(widths[:4]) == sorted(widths[4:]) == [1, 2, 4, 8]
    assert spread_over([0, 0, 1], [4, 2, 1]) == [4, 1, 2]
