"""Under the variables of `exact` other processors compute what this one does, to the byte."""

from pathlib import Path

import pytest
from emulated import PROCESSOR, is_wide, lines, require, start

TRAININGS = "tests/tools/toy_trainings.py"


@pytest.fixture(scope="module", autouse=True)
def _emulator() -> None:
    require()


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The program, and where it keeps what describes the network."""
    return TRAININGS, str(tmp_path_factory.mktemp("emulated") / "network.json")


@pytest.fixture(scope="module")
def native(root: Path, trainings: tuple[str, str]) -> dict[str, str]:
    """What this machine's processor computes under the variables."""
    return lines(start(root, *trainings))


def test_an_emulated_processor_trains_to_the_same_bytes(
    root: Path, trainings: tuple[str, str], native: dict[str, str]
) -> None:
    assert len(native) == 3
    assert lines(start(root, *trainings, processor=PROCESSOR)) == native


def test_without_the_variables_this_processor_computes_others(
    root: Path, trainings: tuple[str, str], native: dict[str, str]
) -> None:
    if not is_wide():
        pytest.skip("this machine's processor has no AVX-512, so that it may compute the same")
    free = lines(start(root, *trainings, pinned=False))
    assert free.keys() == native.keys()
    assert free != native
