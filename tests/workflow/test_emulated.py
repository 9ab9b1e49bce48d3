"""Under the variables of `exact` other processors compute what this one does, to the byte."""

from pathlib import Path

import pytest
from emulated import PROCESSORS, is_wide, lines, require, sorts_places, start
from fbftl.findings.probe.operations import operations

PROBE = "scripts/tools/probe_arithmetic.py"

BY_PLACES = {"numpy/argsort"}
"""What an emulator may get wrong, see `emulated.sorts_places`."""


@pytest.fixture(scope="module", autouse=True)
def _emulator() -> None:
    require()


def test_two_emulated_processors_compute_the_same_bytes(root: Path) -> None:
    left_out = set() if sorts_places() else BY_PLACES
    names = [name for name in operations() if name not in left_out]
    processes = {
        processor: start(root, PROBE, *names, processor=processor) for processor in PROCESSORS
    }
    native = lines(start(root, PROBE, *names))
    assert list(native) == names
    for processor, process in processes.items():
        emulated = lines(process)
        assert emulated.keys() == native.keys()
        unequal = {name for name, digest in emulated.items() if digest != native[name]}
        assert not unequal, processor


def test_without_the_variables_a_narrower_processor_computes_others(root: Path) -> None:
    if not is_wide():
        pytest.skip("this machine's processor has no AVX-512, so that it may compute the same")
    free = [
        lines(start(root, PROBE, "numpy/exp", "numpy/sums", processor=processor, pinned=False))
        for processor in (None, PROCESSORS[0])
    ]
    assert free[0].keys() == free[1].keys()
    assert free[0] != free[1]
