"""The files of a table of people."""

import pytest
from unit.tasks.toy_vectors import make_vectors


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_vectors(tmp_path_factory.mktemp("people"))
