"""The files of an extraction that nothing disturbed."""

import pytest
from unit.features import store_toys as toys
from unit.features.fault_toys import extract_toys


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    extract_toys(folder)
    return toys.files(folder)
