"""Fixtures shared by all tests."""

import os
from pathlib import Path

# Two test processes with two threads each on two cores would slow each other down many times.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# A busy machine is no failure: no example has a deadline, and every run draws the same examples.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data (CIFAR-10, MNIST, SAMSum); tests skip where it is absent."""
    folder = Path(os.environ.get("FBFTL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set FBFTL_DATA to one")
    return folder
