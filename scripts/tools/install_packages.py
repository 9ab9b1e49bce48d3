"""Install packages into the environment that runs this, and say how far that is.

    python scripts/tools/install_packages.py requirements.txt requirements.lock

`./run` calls it with the Python of a new environment, so it needs nothing but Python. On a terminal
one line is written over and over; in a file there is a line for every twenty packages.
"""

import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

STEP = 20
"""Packages to a line, where lines cannot be overwritten."""

TAIL = 15
"""Lines of pip that are shown when it fails."""

PACKAGE = re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)")
SIZE = re.compile(r" *Downloading \S+ \(([\d.]+ \w+)\)")
LINKING = "Installing collected packages"


def main(requirements: str, pins: str) -> int:
    """Install what a file asks for at the versions that another pins; return pip's exit code."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-compile", "--progress-bar", "off"]
    command += ["--requirement", requirements, "--constraint", pins]
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    tail = show(pip.stdout, pinned(Path(pins)), sys.stderr)
    code = pip.wait()
    if code:
        sys.stderr.write("\n".join(["", *tail, ""]))
        sys.stderr.write("The packages could not be installed; pip says why above.\n")
    return code


def pinned(lock: Path) -> int:
    """Return how many packages a lock pins."""
    return sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())


def show(lines: Iterable[str], total: int, screen: TextIO) -> list[str]:
    """Write how far pip is; return its last lines.

    Args:
        lines: of pip.
        total: packages that are to be installed.
        screen: where to write.
    """
    tail, names, size, shown = deque(maxlen=TAIL), {}, "", 0
    overwrite = screen.isatty()
    for line in lines:
        tail.append(line.rstrip())
        linking = line.startswith(LINKING)
        if match := PACKAGE.match(line):
            names[match[1].lower()] = True
            size = ""
        elif match := SIZE.match(line):
            size = f", {match[1]}"
        elif not linking:
            continue
        text = "installing them" if linking else f"{next(reversed(names), '')}{size}"
        text = f"Packages: {len(names)} of {total}, {text}"
        if overwrite:
            screen.write(f"\r{text[:79]:<79}")
            screen.flush()
        elif linking or len(names) // STEP > shown:
            shown = len(names) // STEP
            screen.write(f"{text}\n")
    if overwrite:
        screen.write(f"\r{'':<79}\r")
    return list(tail)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
