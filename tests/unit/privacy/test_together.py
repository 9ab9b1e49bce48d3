"""Releases of the same rows, per unit and neighbours, and budgets of them."""

from dataclasses import asdict

import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import planned_guarantees
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.privacy.composition import compose, gaussian, pure, read, rounds
from fbftl.privacy.together import TOGETHER, Released, costs, require_within
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method

DELTA = 1e-6
FEATURES = mechanisms.gaussian(clip_norm=2.0, sigma=6.0, delta=DELTA)
LABELS = (mechanisms.randomised_response(1.0),)
ROUNDS = mechanisms.dp_fedavg(clip_norm=1.0, sigma=2.0, delta=DELTA, rate=0.2, rounds=10)
STEPS = mechanisms.dp_gd(clip_norm=1.0, multipliers=[30.0, 40.0], delta=DELTA)


def released(name, *records, samples=None):
    return Released(name, [asdict(record) for record in records], samples)


def sums(*releases, client_rows=4):
    """Return the cost of all releases together, by unit and neighbours."""
    every_cost = costs(releases, DELTA, client_rows)
    return {(cost.unit, cost.adjacency): cost for cost in every_cost if cost.release == TOGETHER}


def test_one_release_costs_a_sample_its_own_epsilon():
    epsilons = {
        (cost.unit, cost.adjacency, cost.release): cost.composed.epsilon
        for cost in costs([released("features", *FEATURES)], DELTA, 4)
    }
    epsilon = FEATURES[0].epsilon
    assert epsilons["sample", "replace-one", "features"] == pytest.approx(epsilon)
    assert epsilons["sample", "replace-one", TOGETHER] == pytest.approx(epsilon)
    assert epsilons["client", "replace-one", TOGETHER] == pytest.approx(
        gaussian_epsilon(6.0 / 2, DELTA, "replace-one")
    )


def test_three_kinds_of_releases_of_one_life():
    life = (
        released("features", *FEATURES, *LABELS),
        released("rounds", *ROUNDS, samples=8),
        released("steps", *STEPS),
    )
    together = sums(*life)
    steps = gaussian((30.0**-2 + 40.0**-2) ** -0.5, summed=True)
    sample = compose([gaussian(6.0), pure(1.0), rounds(2.0, 0.2, 10), steps], DELTA, "replace-one")
    assert together["sample", "replace-one"].composed == sample
    assert together["sample", "replace-one"].covers_labels
    # Of the union of 8 rows in the rounds and 4 in the task's own partition.
    client = compose(
        [
            gaussian(6.0 / 12**0.5),
            pure(1.0, 12),
            rounds(2.0, 0.2, 10),
            gaussian(steps.multiplier / 12, summed=True),
        ],
        DELTA,
        "replace-one",
    )
    assert together["client", "replace-one"].composed == client
    assert sums(*life[::-1])["client", "replace-one"].composed == client
    assert together["sample", "add-remove"].composed.accountant == "none"


def test_labels_that_are_open_and_releases_without_a_guarantee_show():
    assert not sums(released("features", *FEATURES))["sample", "replace-one"].covers_labels
    open_ = released("plain", mechanisms.no_mechanism())
    assert sums(released("steps", *STEPS), open_)["sample", "replace-one"].composed.epsilon == (
        float("inf")
    )


@pytest.mark.parametrize(("room", "fits"), [(1.0001, True), (0.9999, False)])
def test_a_budget_holds_a_sum_just_below_it_and_refuses_one_just_above(room, fits):
    every_cost = costs([released("features", *FEATURES), released("steps", *STEPS)], DELTA, 4)
    together = next(
        cost.composed.epsilon
        for cost in every_cost
        if (cost.unit, cost.adjacency, cost.release) == ("sample", "replace-one", TOGETHER)
    )
    budget = {"sample": room * together}
    if fits:
        require_within(budget, every_cost, DELTA, "digits", "life")
    else:
        with pytest.raises(UserError, match=r"budget allows a sample .* privacy.together.life"):
            require_within(budget, every_cost, DELTA, "digits", "life")


def test_what_is_planned_is_what_a_run_will_tell():
    params = {
        "task": "toy",
        "kind": "images",
        "seeds": [0],
        "clients": {},
        "block": {"head": []},
        "training": {
            "epochs": 3,
            "batch": 8,
            "clients_per_round": 5,
            "learning_rate": 0.1,
            "momentum": 0.0,
            "weight_decay": 0.0,
            "validation": 0.0,
            "selection": "last",
        },
        "privacy": {"delta": DELTA, "gradient_clip": 1.0},
    }

    def planned(**setting):
        job = from_params(params | {"setting": setting}, axes_by_method())
        return [asdict(record) for record in planned_guarantees(job, 20)]

    features = planned(method="fbftl", mechanism="gaussian", sigma=6.0, label_epsilon=1.0)
    assert [guarantee["events"] for guarantee in features] == [
        guarantee.events for guarantee in (*FEATURES, *LABELS)
    ]
    by_rounds = planned(method="ftl_c", mechanism="dp_fedavg", sigma=2.0)
    (event,) = by_rounds[0]["events"]
    assert (event["multiplier"], event["rate"], event["times"]) == (2.0, 0.25, 12)
    setting = {
        "method": "one_shot",
        "message": "statistics",
        "head": "lda",
        "aggregation": "masked",
    }
    (statistics,) = planned(**setting, mechanism="gaussian", epsilon=2.0)
    assert statistics["covers_labels"]
    composed = compose(read(statistics["events"]), DELTA, "replace-one")
    assert composed.epsilon == pytest.approx(2.0)
    steps = planned(method="private_gd", mechanism="dp_gd", sigma=9.0, descent_steps=9)
    assert steps[0]["events"][0]["multiplier"] == pytest.approx(3.0)
    assert planned(method="fbftl")[0]["events"] == ()


def test_settings_that_release_the_same_are_counted_once():
    guarantees = [asdict(record) for record in FEATURES]
    twice = [Released(name, guarantees, None, "one spelling") for name in ("few", "many")]
    once, apart = sums(twice[0]), sums(released("few", *FEATURES), released("many", *FEATURES))
    at = "sample", "replace-one"
    assert sums(*twice)[at].composed == once[at].composed
    assert apart[at].composed.epsilon > once[at].composed.epsilon
