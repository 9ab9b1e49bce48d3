"""Random settings and configurations run as they were asked for, or are refused in one sentence.

The gate takes the first of them; FBFTL_WHOLE=1 takes all.
"""

import os

import numpy as np
import pytest
from fbftl.study import methods
from fbftl.study.settings import DEFAULTS
from unit.random_settings import (
    NO_WARNINGS,
    VALUES,
    Answer,
    answered,
    random_axes,
    random_block,
    silent_differences,
)

WHOLE = os.environ.get("FBFTL_WHOLE") == "1"
SETTINGS = 400 if WHOLE else 25
CONFIGURATIONS = 200 if WHOLE else 12
SEED = 1

pytestmark = NO_WARNINGS

OF_DATA = (
    "batch normalisation makes nothing",
    "are to draw",
    "is constant, so noise",
    "to be clipped is not finite",
    "group 0 has",
    "group 1 has",
    "beyond the ring",
)
"""What only a job can know and refuses: values of features, weights that diverged, sizes."""


def require_answer(answer: Answer) -> None:
    """Require a run as asked for, or one sentence; from a job only where data decide."""
    if answer.refused:
        assert answer.sentence.isprintable()
        assert len(answer.sentence) < 1000
        of_data = any(fragment in answer.sentence for fragment in OF_DATA)
        assert answer.refused == "plan" or of_data, f"{dict(answer.axes)}: {answer.sentence}"
        return
    assert silent_differences(answer) == []
    assert [repetition["seed"] for repetition in answer.outcome.repetitions]


def test_every_axis_has_values_that_are_drawn():
    """A text without values of its description needs a line of `LISTED`."""
    assert VALUES.keys() == DEFAULTS.keys() - {"method", "mechanism"}
    assert [axis for axis, values in VALUES.items() if not values] == []


@pytest.mark.parametrize("number", range(SETTINGS))
def test_a_random_setting(number, task_files):
    names = methods.names()
    rng = np.random.default_rng([SEED, number])
    require_answer(answered(random_axes(rng, names[number % len(names)]), task_files))


@pytest.mark.parametrize("number", range(CONFIGURATIONS))
def test_a_random_configuration(number, task_files):
    names = methods.names()
    rng = np.random.default_rng([SEED + 1, number])
    axes = random_axes(rng, str(rng.choice(names)))
    require_answer(answered(axes, task_files, random_block(rng)))


def test_the_draws_run_as_often_as_they_are_refused():
    """A generator that the plan always refuses would find nothing."""
    from fbftl.ground.errors import UserError
    from unit.random_settings import planned

    accepted = 0
    for number in range(100):
        rng = np.random.default_rng([SEED, number])
        try:
            planned(random_axes(rng, methods.names()[number % len(methods.names())]))
        except UserError:
            continue
        accepted += 1
    assert accepted > 50
