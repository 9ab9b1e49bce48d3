"""Freed memory is kept: an array of the same size as one before it needs no new pages."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
import numpy, resource
from fbftl.ground.devices import keep_freed_memory

def faults():
    numpy.ones(2**24)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    numpy.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

handed_back = faults()
keep_freed_memory()
print(handed_back, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_a_second_array_takes_the_pages_of_the_first(root) -> None:
    command = [sys.executable, "-c", FAULTS]
    done = subprocess.run(command, cwd=root / "scripts", capture_output=True, text=True, check=True)
    handed_back, kept = map(int, done.stdout.split())
    if handed_back == 0:
        pytest.skip("the system counts no page faults")
    assert kept < handed_back / 10
