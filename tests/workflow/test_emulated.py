"""Under the variables of `exact` other processors compute what this one does, to the byte."""

from pathlib import Path

import pytest
from emulated import PROCESSOR, is_wide, lines, require, start

TRAININGS = "tests/tools/toy_trainings.py"


@pytest.fixture(scope="module", autouse=True)
def _emulator() -> None:
    require()


def test_an_emulated_processor_trains_to_the_same_bytes(root: Path) -> None:
    emulated = start(root, TRAININGS, processor=PROCESSOR)
    native = lines(start(root, TRAININGS))
    assert len(native) == 3
    assert lines(emulated) == native


def test_without_the_variables_this_processor_computes_others(root: Path) -> None:
    if not is_wide():
        pytest.skip("this machine's processor has no AVX-512, so that it may compute the same")
    pinned, free = (lines(start(root, TRAININGS, pinned=pinned)) for pinned in (True, False))
    assert pinned.keys() == free.keys()
    assert pinned != free
