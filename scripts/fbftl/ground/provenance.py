"""How a result was made: code, versions, device, time. Kept apart from the science."""

import platform
import resource
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.ground.exact import described

PACKAGES = ("torch", "numpy", "zarr")


def record(device: Any, seconds: float) -> dict[str, Any]:
    """Return what is worth knowing of how a result came about.

    Args:
        device: device that was computed on.
        seconds: wall-clock time.
    """
    return {
        "commit": commit(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "device": str(device),
        "arithmetic": described(str(device)),
        "seconds": round(seconds, 3),
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


@cache
def commit() -> str | None:
    """Return the checked-out commit, with `-dirty` if tracked files differ; None without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
