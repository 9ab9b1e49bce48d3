"""Analytic jobs, plans and clients start without libraries that take longer to import than they."""

import os
import subprocess
import sys

FORBIDDEN = {
    "fbftl.features.store": {"torch", "pandas", "xarray", "icechunk", "obstore", "h5py"},
    "fbftl.models.source.check": {"torch"},
    "fbftl.methods.fbftl.deployed": {"torch"},
    "fbftl.methods.one_shot.deployed": {"torch"},
    "tables.tabulate_fbftl_cost": {"torch", "matplotlib"},
    "tables.tabulate_audit": {"torch", "matplotlib"},
}
"""By module, what neither it nor anything that it imports may import.

They are imported in turn, so that none may import what one after it may not.
"""


def test_no_module_imports_a_heavy_library(root):
    code = "import sys\n" + "".join(
        f"import {module}\nprint(*{names} & sys.modules.keys())\n"
        for module, names in FORBIDDEN.items()
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(root / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
