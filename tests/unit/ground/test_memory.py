"""Freed memory is kept: an array of the same size as one before it needs no new pages."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
import numpy, resource
from fbftl.ground.devices import keep_freed_memory
{call}
numpy.ones(2**24)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
numpy.ones(2**24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_a_second_array_takes_the_pages_of_the_first(root) -> None:
    def faults(call: str) -> int:
        command = [sys.executable, "-c", FAULTS.format(call=call)]
        done = subprocess.run(
            command, cwd=root / "scripts", capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    handed_back = faults("")
    if handed_back == 0:
        pytest.skip("the system counts no page faults")
    assert faults("keep_freed_memory()") < handed_back / 10
