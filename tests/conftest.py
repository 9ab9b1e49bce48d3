"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

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
