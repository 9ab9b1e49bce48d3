"""A setting finds as alone what it finds beside others that share its process, to the last bit."""

from typing import Any

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.plan.batches import MissingRun, units
from fbftl.plan.recipes import SettingRecipe
from fbftl.study import methods
from fbftl.study.job import from_params
from unit.random_settings import NO_WARNINGS, planned, random_axes

pytestmark = NO_WARNINGS

TOGETHER = [record.name for record in methods.RECORDS if record.together is not None]


def draws(method: str, task_files: dict, wanted: int) -> dict[str, tuple[MissingRun, str]]:
    """Return the first settings of a method that a plan and its data allow, drawn at random.

    Each is beside what it finds alone, as `text` writes it.
    """
    found: dict[str, tuple[MissingRun, str]] = {}
    for number in range(100):
        rng = np.random.default_rng([11, number])
        try:
            study = planned(random_axes(rng, method))
            (task,) = study.tasks
            ((name, setting),) = study.settings[task]["asked"].items()
            job = study.job(task, name)
            if name in found:
                continue
            (alone,) = train([from_params(job, methods.axes_by_method())], task_files[task])
        except UserError:
            continue
        found[name] = MissingRun(task, setting, SettingRecipe({"job": job}), 0, name), text(alone)
        if len(found) == wanted:
            break
    return found


@pytest.mark.parametrize("method", TOGETHER)
def test_settings_of_a_unit(method, task_files):
    found = draws(method, task_files, 8)
    compared = 0
    for unit in units([run for run, _ in found.values()], lambda task, setting: ()):
        runs = [of_one[0] for of_one in unit.runs]
        jobs = [from_params(run.recipe.job, methods.axes_by_method()) for run in runs]
        if len(jobs) > 1:
            for run, beside in zip(runs, train(jobs, task_files[runs[0].task]), strict=True):
                assert found[run.key][1] == text(beside), run.setting.values
            compared += 1
    assert compared


NOISED = (
    {}, {"mechanism": "relative", "sigma": 0.1}, {"mechanism": "relative", "sigma": 0.8},
    {"mechanism": "gaussian", "epsilon": 1.0}, {"mechanism": "gaussian", "epsilon": 16.0},
)  # fmt: skip


def test_plain_and_noised_uploads_are_one_study(task_files):
    """Units have what can step together, whatever a job is told of noise."""
    runs = []
    for axes in NOISED:
        study = planned({"method": "fbftl"} | axes)
        ((name, setting),) = study.settings["digits"]["asked"].items()
        recipe = SettingRecipe({"job": study.job("digits", name)})
        runs.append(MissingRun("digits", setting, recipe, 0, name))
    for unit in units(runs, lambda task, setting: ()):
        jobs = [from_params(of_one[0].recipe.job, methods.axes_by_method()) for of_one in unit.runs]
        for job, beside in zip(jobs, train(jobs, task_files["digits"]), strict=True):
            assert text(train([job], task_files["digits"])[0]) == text(beside)


@pytest.mark.parametrize("method", [name for name in methods.names() if name not in TOGETHER])
def test_settings_one_after_another(method, task_files):
    """Methods whose settings have a unit each: what ran before in the process changes nothing."""
    for run, forwards in reversed(draws(method, task_files, 2).values()):
        job = from_params(run.recipe.job, methods.axes_by_method())
        assert text(train([job], task_files[run.task])[0]) == forwards


def text(outcome: Any) -> str:
    """Return what a run found and sent as text, since not-a-number is not itself."""
    return repr((outcome.repetitions, outcome.ledger.table().to_pylist()))
