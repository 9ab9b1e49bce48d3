"""Random settings and configurations run as they were asked for, or are refused in one sentence.

The gate takes the first of them; FBFTL_WHOLE=1 takes all.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.study import methods
from fbftl.study.settings import DEFAULTS
from fbftl.study.yaml_files import read_yaml
from fbftl.tasks.task import Inputs
from unit.methods.framework_toys import make_inputs
from unit.random_settings import (
    VALUES,
    Answer,
    answered,
    random_axes,
    random_block,
    silent_differences,
)
from unit.tasks.toy_vectors import make_vectors

WHOLE = os.environ.get("FBFTL_WHOLE") == "1"
SETTINGS = 400 if WHOLE else 25
CONFIGURATIONS = 200 if WHOLE else 12
SEED = 1

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # of runs that diverge, as some are to
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

OF_DATA = (
    "batch normalisation makes nothing",
    "are to draw",
    "is constant, so noise",
    "to be clipped is not finite",
    "group 0 has",
    "group 1 has",
)
"""What only a job can know and refuses: values of features, weights that diverged, sizes."""


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    return read_yaml(root / "rules/schemas/config.schema.yaml")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Inputs]:
    """Both tasks' files; the public rows of the digits are their own features."""
    digits = make_inputs(tmp_path_factory.mktemp("digits"))
    made = make_vectors(tmp_path_factory.mktemp("people"))
    paths = {name: Path(path) for name, path in made.items()}
    return {
        "digits": replace(digits, public=digits.features, public_manifest=digits.manifest),
        "people": Inputs(device=torch.device("cpu"), **paths),
    }


def require_answer(answer: Answer) -> None:
    """Require a run as asked for, or one sentence; from a job only where data decide."""
    if answer.refused:
        assert answer.sentence.isprintable()
        assert len(answer.sentence) < 1000
        known = any(own in answer.sentence for own in OF_DATA)
        assert answer.refused == "plan" or known, f"{dict(answer.axes)}: {answer.sentence}"
        return
    assert silent_differences(answer) == []
    assert [one["seed"] for one in answer.outcome.repetitions]


def test_every_axis_has_values_that_are_drawn() -> None:
    assert VALUES.keys() == DEFAULTS.keys() - {"method", "mechanism"}


@pytest.mark.parametrize("number", range(SETTINGS))
def test_a_random_setting(number: int, schema: dict, files: dict) -> None:
    names = methods.names()
    rng = np.random.default_rng([SEED, number])
    require_answer(answered(random_axes(rng, names[number % len(names)]), schema, files))


@pytest.mark.parametrize("number", range(CONFIGURATIONS))
def test_a_random_configuration(number: int, schema: dict, files: dict) -> None:
    names = methods.names()
    rng = np.random.default_rng([SEED + 1, number])
    axes = random_axes(rng, str(rng.choice(names)))
    require_answer(answered(axes, schema, files, random_block(rng)))


def test_the_draws_run_as_often_as_they_are_refused(schema: dict) -> None:
    """A generator that the plan always refuses would find nothing."""
    from fbftl.ground.errors import UserError
    from unit.random_settings import planned

    accepted = 0
    for number in range(100):
        rng = np.random.default_rng([SEED, number])
        try:
            planned(random_axes(rng, methods.names()[number % len(methods.names())]), schema)
        except UserError:
            continue
        accepted += 1
    assert accepted > 50
