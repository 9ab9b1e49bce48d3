"""Analytic jobs, plans and clients start without libraries that take longer to import than they."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FORBIDDEN = {
    "tables.tabulate_fbftl_cost": {"torch", "matplotlib"},
    "tables.tabulate_audit": {"torch", "matplotlib"},
    "fbftl.features.store": {"torch", "pandas", "xarray", "icechunk", "obstore", "h5py"},
    "fbftl.models.source.check": {"torch"},
    "fbftl.methods.fbftl.answering": {"torch"},
    "fbftl.methods.one_shot.answering": {"torch"},
}
"""By module, what neither it nor anything that it imports may import."""


@pytest.mark.parametrize("module", FORBIDDEN)
def test_a_module_imports_no_heavy_library(root: Path, module: str) -> None:
    code = f"import sys, {module}; print(*{FORBIDDEN[module]} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(root / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
