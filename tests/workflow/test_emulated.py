"""Under the variables of `exact` other processors compute what this one does, to the byte."""

import os
from pathlib import Path

import pytest
from emulated import PROCESSORS, is_wide, lines, require, start
from tools import emulated_study

TRAININGS = "tests/tools/toy_trainings.py"


@pytest.fixture(scope="module", autouse=True)
def _emulator() -> None:
    require()


def test_an_emulated_processor_trains_to_the_same_bytes(root: Path) -> None:
    emulated = start(root, TRAININGS, processor=PROCESSORS[-1])
    native = lines(start(root, TRAININGS))
    assert len(native) == 3
    assert lines(emulated) == native


def test_without_the_variables_this_processor_computes_others(root: Path) -> None:
    if not is_wide():
        pytest.skip("this machine's processor has no AVX-512, so that it may compute the same")
    pinned, free = (lines(start(root, TRAININGS, pinned=pinned)) for pinned in (True, False))
    assert pinned.keys() == free.keys()
    assert pinned != free


@pytest.mark.skipif(
    os.environ.get("FBFTL_WHOLE") != "1", reason="ten minutes; FBFTL_WHOLE=1 runs it"
)
def test_a_small_study_has_the_same_bytes_on_both(root: Path) -> None:
    assert emulated_study.main(list(PROCESSORS)) == 0
