"""Releases of the same rows, per unit and neighbours, and budgets of them."""

from dataclasses import asdict, replace
from math import inf

import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import planned_guarantees
from fbftl.methods.ecos.counting import nothing_sent
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.privacy.composition import compose, gaussian, pure, read, rounds
from fbftl.privacy.together import TOGETHER, Released, costs, require_within
from fbftl.study.methods import record
from unit.training.tasks import toy_task

DELTA = 1e-6
FEATURES = mechanisms.gaussian(clip_norm=2.0, sigma=6.0, delta=DELTA)
LABELS = (mechanisms.randomised_response(1.0),)
ROUNDS = mechanisms.dp_fedavg(clip_norm=1.0, sigma=2.0, delta=DELTA, rate=0.2, rounds=10)
STEPS = mechanisms.dp_gd(clip_norm=1.0, multipliers=[30.0, 40.0], delta=DELTA)


COUNTS = {"method": "ecos", "purchase": 300, "mechanism": "counts", "sigma": 10.0}
NOISY_FEATURES = {
    "method": "fedfeat",
    "mechanism": "gaussian",
    "sigma": 9.0,
    "feature_clip": 1.0,
    "server_epochs": 1,
    "network": "small",
}
PRIVACY = {"delta": DELTA, "gradient_clip": 1.0, "update_clip": 1.0}


def planned_job(rounds=None, **setting):
    """Return a job of 3 epochs, or of so many rounds."""
    values = {"batch": 8, "clients_per_round": 5, "rounds": rounds}
    job = toy_task.job(setting, privacy=PRIVACY, clients={}, **values)
    return replace(job, block={"head": [], "outsourcing": {}})


def planned(**setting):
    """Return what a job of 20 clients will guarantee, in builtin types."""
    return [asdict(each) for each in planned_guarantees(planned_job(**setting), 20)]


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


# --- parts without protection, and nothing --------------------------------------------------------


def test_counts_beside_plain_uploads_cost_what_nothing_bounds():
    alone = sums(Released("counts", planned(**COUNTS)))
    assert alone["sample", "replace-one"].composed.epsilon < 1
    for cost in sums(Released("uploads", planned(**COUNTS, uploaders=5))).values():
        assert (cost.composed.epsilon, cost.covers_labels) == (inf, False)
        assert cost.note == "No guarantee: there is none for uploads."


@pytest.mark.parametrize(
    ("setting", "guarantees"),
    [
        (planned_job(rounds=6, **NOISY_FEATURES).setting, planned(rounds=6, **NOISY_FEATURES)),
        (
            planned_job(
                method="eppfl", mechanism="laplace", epsilon=0.1, laplace_sensitivity="clip"
            ).setting,
            [asdict(mechanisms.laplace(epsilon=0.1, clip=1.0, coordinates=10))],
        ),
    ],
)
def test_weights_that_are_sent_beside_what_is_noised_leave_no_guarantee(setting, guarantees):
    bounded = Released("noised", guarantees)
    assert guarantees[0]["epsilon"] < 10
    assert sums(bounded)["sample", "replace-one"].composed.epsilon < 10
    whole = replace(bounded, unprotected=record(setting.method).unprotected[setting.mechanism])
    for cost in costs([whole], DELTA, 4):
        assert cost.composed.epsilon == inf
        assert cost.note == (
            "No guarantee: there is none for noised."
            if cost.release == TOGETHER
            else "No guarantee: weights that were trained on the same samples are sent without "
            "noise."
        )
    with pytest.raises(UserError, match=r"bounded, for not all of noised has a guarantee"):
        require_within({"sample": 1e6}, costs([whole], DELTA, 4), DELTA, "digits", "life")


def test_where_nothing_is_sent_nothing_is_added():
    nothing = Released("bought", planned(method="ecos", purchase=300, purchase_rule="random"))
    assert nothing.guarantees == [asdict(nothing_sent())]
    for cost in sums(nothing).values():
        assert (cost.composed.epsilon, cost.note, cost.covers_labels) == (0.0, "", True)
    at = "client", "replace-one"
    features = released("features", *FEATURES)
    assert sums(nothing, features)[at] == sums(features)[at]


# --- plans ------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [{"sigma": 8.0}, {"epsilon": 3.0}])
def test_a_plan_of_fade_has_its_users_in_every_round(axes):
    fade = {"method": "fade", "mechanism": "update_gaussian", "network": "small"} | axes
    (guarantee,) = planned(rounds=16, **fade)
    wanted = axes.get("epsilon", gaussian_epsilon(8.0 / 4, DELTA, "replace-one"))
    assert (guarantee["unit"], guarantee["adjacency"]) == ("client", "replace-one")
    assert guarantee["epsilon"] == pytest.approx(wanted)
    client = sums(Released("fade", [guarantee]))["client", "replace-one"]
    assert client.composed.epsilon == pytest.approx(wanted)
    assert planned(rounds=16, method="fade") == [asdict(mechanisms.no_mechanism())]


def test_what_eppfl_noises_no_plan_can_count():
    laplace = {"mechanism": "laplace", "epsilon": 1.0, "laplace_sensitivity": "clip"}
    with pytest.raises(UserError, match=r"tasks\.toy\.privacy\.budget holds against no setting of"):
        planned(method="eppfl", **laplace)
