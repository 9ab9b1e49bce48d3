"""Memory of large studies."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import resource
from fbftl.settings import expand

grid = {
    "fraction": [round(0.001 * i, 3) for i in range(1, 501)],
    "plr": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99],
    "bits": [1, 2, 4, 8, 32],
    "keep": [0.1, 0.3, 0.5, 0.8, 1.0],
}
settings = {setting.name: setting for setting in expand([grid])}
print(len(settings), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_a_hundred_thousand_settings_stay_under_a_gigabyte(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONPATH": str(root / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    count, kibibytes = map(int, done.stdout.split())
    assert count == 100_000
    assert kibibytes < 10**9 / 1024
