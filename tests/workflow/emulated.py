"""Python on an emulated processor, which shows what narrower and other makers' machines compute."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from fbftl.ground.exact import VARIABLES

EMULATOR = "qemu-x86_64-static"

PROCESSORS = ("Haswell", "EPYC-Rome")
"""The oldest with AVX2 and FMA, and one of another maker; neither has AVX-512."""


def require() -> None:
    """Skip the test where no processor can be emulated; under CI, which installs it, fail it."""
    if shutil.which(EMULATOR) is None:
        reason = f"{EMULATOR} is not installed (apt-get install qemu-user-static)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def sorts_places() -> bool:
    """Tell whether the emulator runs numpy's argsort.

    QEMU 7.2 takes the register ymm4 for no index in the instruction VPGATHERQQ, with which numpy
    sorts places of 64 bits; 10.0 does not.
    """
    printed = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"version (\d+)\.", printed)
    return version is not None and int(version[1]) >= 10


def start(
    root: Path,
    *arguments: str,
    processor: str | None = None,
    pinned: bool = True,
    complaints: IO[str] | int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """Start a Python program of the project, which knows the library.

    Args:
        root: the project.
        arguments: the program and its arguments.
        processor: emulated; None is this machine's.
        pinned: whether it has the variables of `exact`, or none of them.
        complaints: where its standard error goes; a file if it may be much.
    """
    emulated = [] if processor is None else [EMULATOR, "-cpu", processor]
    return subprocess.Popen(
        [*emulated, sys.executable, *arguments],
        cwd=root,
        env=environment(root, pinned),
        stdout=subprocess.PIPE,
        stderr=complaints,
        text=True,
    )


def environment(root: Path, pinned: bool) -> dict[str, str]:
    """Return this process's environment with the variables of `exact` or without them."""
    others = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    places = (root / "scripts", root / "scripts" / "stages", root / "tests")
    path = {"PYTHONPATH": os.pathsep.join(map(str, places)), "OMP_NUM_THREADS": "1"}
    return others | path | (VARIABLES if pinned else {})


def lines(process: subprocess.Popen[str]) -> dict[str, str]:
    """Return what a program prints, lines of a name and a digest, once it has succeeded."""
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    return dict(line.split() for line in printed.splitlines())


def is_wide() -> bool:
    """Tell whether this machine's processor has AVX-512, which the emulated ones have not."""
    return "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
