"""Analytic jobs start without torch, whose import alone takes longer than they do."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["tabulate_fbftl_cost", "tabulate_audit"])
def test_analytic_scripts_import_no_torch(root, module):
    code = (
        f"import sys, tables.{module}; print('torch' in sys.modules, 'matplotlib' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root / "scripts", capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
