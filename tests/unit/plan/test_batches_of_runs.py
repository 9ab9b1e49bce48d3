"""Batches: few, balanced, each run in one, and no marker of an earlier one taken for another."""

import random
from itertools import chain

import pytest
from fbftl.plan.batches import (
    MOST_BATCHES,
    MOST_ROWS,
    MissingRun,
    Unit,
    batches,
    name_of_keys,
    units,
)
from fbftl.plan.recipes import SettingRecipe
from fbftl.study.settings import from_axes


def run(number: int, seed: int = 0, task: str = "digits", **axes: object) -> MissingRun:
    """Return a missing run whose number is its loss rate."""
    setting = from_axes({"method": "fbftl", "plr": number / 1000} | axes)
    job = {"kind": "images", "setting": setting.deviations(), "training": {"epochs": 2}}
    recipe = SettingRecipe({"job": job})
    return MissingRun(task, setting, recipe, seed, f"{task}-{setting.name}-{seed}")


def few(unit: Unit) -> int:
    """Return the samples of a unit of runs that have one each."""
    return len(unit.keys)


def reads(task: str, setting: object) -> tuple[str, ...]:
    return ("features",)


def test_settings_with_the_same_missing_seeds_step_side_by_side():
    missing = [run(number, seed) for number in range(1, 5) for seed in (0, 1)]
    missing += [run(9, 1), run(8, 1, method="ftl_c"), run(7, 1, method="ftl_c")]
    found = [[len(of_setting) for of_setting in unit.runs] for unit in units(missing, reads)]
    assert sorted(found) == [[1], [1], [1], [2, 2, 2, 2]]


def test_a_run_that_two_tasks_share_is_made_once():
    one, other = run(1), run(1, task="other")
    shared = MissingRun(other.task, other.setting, other.recipe, 0, one.key)
    (unit,) = units([one, shared], reads)
    assert unit.keys == [one.key]


@pytest.mark.parametrize("places", [1, 2, 7])
@pytest.mark.parametrize("seed", range(5))
def test_every_run_is_in_one_batch_and_batches_are_balanced(places, seed):
    """Within 20 % of perfect packing, the longest unit apart."""
    draws = random.Random(seed)
    missing = [run(number, s) for number in range(1, 200) for s in range(draws.choice((1, 3, 5)))]
    made = units(missing, reads)
    weight = {run.key: draws.expovariate(1.0) for run in missing}

    def seconds(unit: Unit) -> float:
        return sum(weight[key] for key in unit.keys)

    dealt = batches(made, seconds, few, places)
    assert len(dealt) <= (2 * places if places > 1 else 1)
    assert sorted(key for batch in dealt for unit in batch for key in unit.keys) == sorted(weight)
    loads = [0.0] * places
    for batch in dealt:  # as a scheduler starts them, one after the other where a place is free
        place = loads.index(min(loads))
        loads[place] += sum(map(seconds, batch))
    assert max(loads) <= 1.2 * sum(weight.values()) / places


def test_a_long_unit_is_divided_down_to_single_runs():
    (unit,) = units([run(1, seed) for seed in range(8)], reads)
    dealt = batches([unit], lambda unit: float(len(unit.keys)), few, places=4)
    assert sorted(len(unit.keys) for batch in dealt for unit in batch) == [1] * 8


def test_a_unit_of_many_samples_is_divided():
    """Thirty runs on 50,000 samples each would take 16 GB where each has features of its own."""
    (unit,) = units([run(number, seed) for number in (1, 2, 3) for seed in range(10)], reads)
    dealt = batches([unit], lambda unit: 0.0, lambda unit: 50_000 * len(unit.keys), places=1)
    runs = [len(unit.keys) for batch in dealt for unit in batch]
    assert max(runs) == MOST_ROWS // 50_000
    assert sum(runs) == 30


def test_a_cluster_has_batches_of_about_a_length():
    made = units([run(number) for number in range(1, 401)], reads)
    dealt = batches(made, lambda unit: 60.0 * len(unit.keys), few, places=10, longest=1200)
    assert 20 <= len(dealt) <= 40
    assert batches([], lambda unit: 1.0, few, places=3) == []


def test_no_batch_has_the_name_of_a_marker_that_is_there():
    first = name_of_keys(["a"], ())
    second = name_of_keys(["a"], {first})
    assert len({first, second, name_of_keys(["a"], {first, second})}) == 3


def test_runs_that_failed_before_are_alone():
    made = units([run(number, seed) for number in range(1, 30) for seed in (0, 1)], reads)
    keys = [key for unit in made for key in unit.keys]
    failed = {keys[0], keys[-1], "of another study"}
    dealt = batches(made, lambda unit: 1.0, few, places=2, failed=failed)
    keys_of = [[key for unit in batch for key in unit.keys] for batch in dealt]
    assert sorted(chain(*keys_of)) == sorted(keys)
    assert [keys[0]] in keys_of
    assert [keys[-1]] in keys_of


@pytest.mark.parametrize("failed", [0, 400, 2999])
def test_a_call_has_a_thousand_batches_at_most(failed):
    missing = [run(number) for number in range(1, 3000)]
    keys = {each.key for each in missing[:failed]}
    made = units(missing, reads)
    dealt = batches(made, lambda unit: 60.0, few, places=8000, longest=1.0, failed=keys)
    assert len(dealt) == MOST_BATCHES == 1000
    assert sum(len(unit.keys) for batch in dealt for unit in batch) == len(missing)
