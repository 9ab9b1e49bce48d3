"""The files of the frameworks' toy task, and runs on them."""

from collections.abc import Callable

import pytest
from fbftl.methods import by_name
from fbftl.training.tasks.task import Inputs, Outcome
from unit.methods.framework_toys import job_of


@pytest.fixture
def inputs(frameworks: Inputs) -> Inputs:
    return frameworks


Run = Callable[..., Outcome]


@pytest.fixture
def run(frameworks: Inputs) -> Run:
    def trained(method: str, block: dict | None = None, **axes) -> Outcome:
        (outcome,) = by_name.train([job_of(method, block, **axes)], frameworks)
        return outcome

    return trained
