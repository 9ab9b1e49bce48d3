"""A seed trains as it would alone, to the last bit: whichever seeds share its process.

So a run of one more seed leaves what other seeds found as it is.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.study import methods
from fbftl.study.job import Job, from_params
from fbftl.training.tasks.task import Inputs, Outcome
from unit.random_settings import NEEDED, NO_WARNINGS, planned, random_axes

pytestmark = NO_WARNINGS

SEEDS = (0, 1)

UNEVEN = {"partition": "dirichlet", "alpha": 0.3}
"""Clients of unequal size, whose mini-batches and sums are filled up to the largest."""


def found(outcome: Outcome, index: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what the seed of a place found, and the messages that it sent."""
    repetition = outcome.repetitions[index]
    table = outcome.ledger.table()
    sent = table.filter(pc.equal(table["seed"], repetition["seed"]))
    return repetition, sent.to_pylist()


def require_alone(job: Job, inputs: Inputs) -> None:
    """Compare each seed of a job beside the other with itself alone."""
    (together,) = train([job], inputs)
    for index, seed in enumerate(job.seeds):
        (alone,) = train([replace(job, seeds=(seed,))], inputs)
        # Their texts, since None and not-a-number occur.
        assert repr(found(together, index)) == repr(found(alone, 0)), seed


def job_of(axes: dict[str, Any]) -> tuple[str, Job]:
    """Return the task and the job of a setting with all seeds."""
    study = planned(axes)
    (task,) = study.tasks
    (name,) = study.settings[task]["asked"]
    job = from_params(study.job(task, name), methods.axes_by_method())
    return task, replace(job, seeds=SEEDS)


@pytest.mark.parametrize("method", methods.names())
def test_every_method(method, task_files):
    record = methods.record(method)
    uneven = {axis: value for axis, value in UNEVEN.items() if record.knows(axis)}
    task, job = job_of({"method": method} | NEEDED.get(method, {}) | uneven)
    require_alone(job, task_files[task])


@pytest.mark.parametrize("number", range(3))
def test_random_settings(number, task_files):
    """The first draw of each number that a plan and its data allow."""
    for attempt in range(20):
        rng = np.random.default_rng([7, number, attempt])
        try:
            task, job = job_of(random_axes(rng, str(rng.choice(methods.names()))))
            require_alone(job, task_files[task])
        except UserError:
            continue
        return
    pytest.fail("no draw ran")
