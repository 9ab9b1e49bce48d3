"""The files of the frameworks' toy task, and runs on them."""

from collections.abc import Callable

import pytest
from fbftl.methods import by_name
from fbftl.tasks.task import Inputs, Outcome
from unit.methods.frameworks.framework_toys import job_of, make_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return make_inputs(tmp_path_factory.mktemp("task"))


Run = Callable[..., Outcome]


@pytest.fixture
def run(inputs: Inputs) -> Run:
    def trained(method: str, block: dict | None = None, **axes) -> Outcome:
        (outcome,) = by_name.train([job_of(method, block, **axes)], inputs)
        return outcome

    return trained
