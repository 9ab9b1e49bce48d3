"""The table of trust has what holds for a sample with its label, at the epsilon that was asked."""

from dataclasses import asdict

import pytest
import tabulate_rivals
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.statistics import statistics_guarantee
from unit.findings.made_up import AXES

DELTA = 1e-6


def rows(setting, *records):
    document = {
        "name": "own",
        "setting": {"method": "fbftl", "mechanism": "gaussian"} | setting,
        "repetitions": [{"privacy": [asdict(record) for record in records]}],
    }
    return list(tabulate_rivals.rows_of(document, AXES))


def features(epsilon):
    sigma = gaussian_sigma(epsilon, DELTA)
    return mechanisms.gaussian(clip_norm=1.0, sigma=sigma, delta=DELTA)


def steps(sigma):
    return mechanisms.dp_gd(
        clip_norm=1.0, multipliers=[sigma] * 4, delta=DELTA, adjacency="replace-one"
    )


def test_open_labels_are_no_guarantee_for_a_sample():
    assert rows({"epsilon": 2.0}, *features(2.0)) == []


def test_features_and_labels_add_up_and_cost_no_more_together():
    response = mechanisms.randomised_response(3.0)
    (row,) = rows({"epsilon": 1.0, "label_epsilon": 3.0}, *features(1.0), response)
    assert (row["trust"], row["what"]) == ("local", "FbFTL")
    epsilons = row["epsilon"], row["epsilon_features"], row["epsilon_labels"]
    assert epsilons == (4.0, 1.0, 3.0)
    assert 3.0 < row["composed"] <= 4.0


def test_noise_on_a_sum_stands_under_a_secure_sum_and_under_a_trusted_server():
    guarantee = statistics_guarantee(
        clip_norm=1.0, epsilon=2.0, sigma=None, delta=DELTA, central=True
    )
    axes = {"method": "one_shot", "message": "statistics", "head": "lda", "epsilon": 2.0}
    masked = rows(axes | {"aggregation": "masked"}, guarantee)
    assert [(row["trust"], row["what"]) for row in masked] == [
        ("secure sum", "GH-LDA"),
        ("trusted server", "GH-LDA"),
    ]
    assert [row["trust"] for row in rows(axes, guarantee)] == ["local"]


@pytest.mark.parametrize(("factor", "shown"), [(1.0, True), (0.9, False)])
def test_what_costs_more_than_was_asked_does_not_stand_beside_the_others(factor, shown):
    sigma = factor * gaussian_sigma(2.0, DELTA, "replace-one") * 2
    table_rows = rows({"method": "private_gd", "mechanism": "dp_gd", "epsilon": 2.0}, *steps(sigma))
    assert [row["trust"] for row in table_rows] == ["trusted server"] * shown
