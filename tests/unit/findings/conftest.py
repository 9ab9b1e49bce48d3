"""What tests of figures share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close every figure after a test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
