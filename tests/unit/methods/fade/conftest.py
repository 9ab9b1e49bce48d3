"""The files of a table of people."""

import pytest


@pytest.fixture
def files(people: dict[str, str]) -> dict[str, str]:
    return people
