"""A headless Chromium without a network, and what it sees of a page of results."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WAIT = 60
"""Seconds after which something that should appear counts as missing."""

LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""Rules of accessibility of levels A and AA, as axe tags them."""


def missing() -> str | None:
    """Return why no browser can be driven here, or None if one can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed (pip install selenium)"
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "chromium and chromedriver are not installed (apt-get install chromium-driver)"
    return None


def axe() -> Path | None:
    """Return the file of axe-core, which looks for what keeps people out, where npm has it."""
    if shutil.which("npm") is None:
        return None
    done = subprocess.run(["npm", "root", "--global"], capture_output=True, text=True)
    path = Path(done.stdout.strip(), "axe-core", "axe.min.js")
    return path if path.is_file() else None


def missing_axe() -> str | None:
    """Return why accessibility cannot be looked at here, or None if it can."""
    return missing() or (
        None if axe() else "axe-core is not installed (npm install --global axe-core)"
    )


def require(reason: str | None) -> None:
    """Skip the test where something is missing; under CI, which installs it, fail it."""
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@dataclass(frozen=True)
class Page:
    """An open page."""

    driver: Any

    def open_page(self, path: Path) -> None:
        """Open another page in the same window."""
        self.driver.get(path.resolve().as_uri())
        assert self.until(lambda: self.texts("main"))

    def texts(self, selector: str) -> list[str]:
        """Return the text of all that can be seen of a selector."""
        script = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter(e => e.checkVisibility()).map(e => e.innerText)"
        )
        return self.driver.execute_script(script, selector)

    def scrolls_sideways(self) -> bool:
        """Return whether anything that can be seen reaches beyond the right edge."""
        return self.driver.execute_script(
            "const edge = document.documentElement.clientWidth + 1;"
            "return document.scrollingElement.scrollWidth > edge"
            " || [...document.querySelectorAll('td, th, p, img, li')].some("
            "   e => e.checkVisibility() && !e.closest('thead')"
            "     && e.getBoundingClientRect().right > edge)"
        )

    def violations(self) -> list[str]:
        """Return what keeps people out, by axe's rules of levels A and AA, with places."""
        self.driver.execute_script(axe().read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "axe.run(document, {runOnly: arguments[0]}).then(r => arguments[1](r.violations))",
            list(LEVELS),
        )
        return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]

    def until(self, condition: Any) -> bool:
        """Return whether a condition comes true in time."""
        end = time.monotonic() + WAIT
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def errors(self) -> list[str]:
        """Return the errors that the console has shown."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]


@contextmanager
def opened(
    path: Path, width: int = 1440, height: int = 900, *, dark: bool = False
) -> Iterator[Page]:
    """Open a page in a window of a size; no name resolves, so nothing can be loaded."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--window-size={width},{height}",
    ):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    driver.set_script_timeout(WAIT * 2)
    try:
        if width < 500:  # Narrower than a window can be.
            metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        if dark:
            scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
        driver.get(path.resolve().as_uri())
        page = Page(driver)
        script = "return Boolean(document.querySelector('main'))"
        assert page.until(lambda: driver.execute_script(script)), "the page does not open"
        yield page
    finally:
        driver.quit()
