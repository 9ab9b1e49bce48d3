"""A page as a PDF or as a picture, by a browser that is on the machine; without one, a sentence."""

import os
import shutil
import subprocess
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Programs that print a page without a window, the first that is found."""

SECONDS = 300
"""After which a browser counts as hung."""


def browser() -> str:
    """Return the path of a browser.

    Raises:
        UserError: if the machine has none.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise UserError(
        f"no PDF and no picture was made, since none of {', '.join(BROWSERS)} is on the PATH; "
        "install one, or print the HTML page from any browser"
    )


def printed_pdf(page: Path, pdf: Path) -> None:
    """Print a page of this machine as a PDF, without date and address at the edges.

    Raises:
        UserError: if the machine has no browser, or it fails.
    """
    with replacing(pdf) as temporary:
        _run(page, temporary, ["--no-pdf-header-footer", f"--print-to-pdf={temporary.resolve()}"])


def screenshot(page: Path, picture: Path, width: int, height: int) -> None:
    """Take a picture of the top of a page of this machine, as PNG.

    Args:
        page: an HTML file.
        picture: where the PNG goes.
        width, height: in pixels.

    Raises:
        UserError: if the machine has no browser, or it fails.
    """
    size = ["--hide-scrollbars", f"--window-size={width},{height}"]
    with replacing(picture) as temporary:
        _run(page, temporary, [*size, f"--screenshot={temporary.resolve()}"])


def _run(page: Path, made: Path, options: list[str]) -> None:
    # A browser refuses its sandbox to root; what it opens here is a file of the project's own.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    command = [browser(), "--headless", "--disable-gpu", *root, *options, page.resolve().as_uri()]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{command[0]} did not print {page} in {SECONDS} seconds") from error
    if done.returncode != 0 or not made.exists() or made.stat().st_size == 0:
        raise UserError(f"{command[0]} did not print {page}: {done.stderr.strip()[-300:]}")
