"""Memory of large studies."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from pathlib import Path
from fbftl.study.grid import expand

grid = {
    "fraction": [round(0.01 * i, 2) for i in range(1, 101)],
    "plr": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99],
    "bits": [1, 2, 4, 8, 32],
    "keep": [0.1, 0.3, 0.5, 0.8, 1.0],
}
settings = {setting.name: setting for setting in expand([grid])}
status = Path("/proc/self/status").read_text()
# Not getrusage: its peak outlives exec, so it would be the test runner's.
print(len(settings), status.split("VmHWM:")[1].split()[0])
"""


def test_a_hundred_thousand_settings_stay_under_a_gigabyte(root: Path) -> None:
    """A fifth of them take less than a fifth of that."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONPATH": str(root / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    count, kibibytes = map(int, done.stdout.split())
    assert count == 20_000
    assert kibibytes < 10**9 / 5 / 1024
