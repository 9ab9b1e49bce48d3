"""Python on an emulated processor, which shows what narrower and other makers' machines compute."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fbftl.ground.exact import VARIABLES

EMULATOR = "qemu-x86_64-static"

PROCESSOR = "EPYC-Rome"
"""One of another maker, with AVX2 and FMA and without AVX-512."""


def require() -> None:
    """Skip the test where no processor can be emulated; under CI, which installs it, fail it."""
    if shutil.which(EMULATOR) is None:
        reason = f"{EMULATOR} is not installed (apt-get install qemu-user-static)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def start(root: Path, *arguments: str, processor: str | None = None) -> subprocess.Popen[str]:
    """Start a Python program of the project, which knows the library.

    Args:
        root: the project.
        arguments: the program and its arguments.
        processor: emulated; None is this machine's.
    """
    emulated = [] if processor is None else [EMULATOR, "-cpu", processor]
    return subprocess.Popen(
        [*emulated, sys.executable, *arguments],
        cwd=root,
        env=environment(root),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def environment(root: Path) -> dict[str, str]:
    """Return this process's environment with the variables of `exact`."""
    places = (root / "scripts", root / "scripts" / "stages", root / "tests")
    path = {"PYTHONPATH": os.pathsep.join(map(str, places)), "OMP_NUM_THREADS": "1"}
    return os.environ | path | VARIABLES


def lines(process: subprocess.Popen[str]) -> dict[str, str]:
    """Return what a program prints, lines of a name and a digest, once it has succeeded."""
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    return dict(line.split() for line in printed.splitlines())
