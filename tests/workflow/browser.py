"""A headless Chromium without a network, and what it sees of a report."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WAIT = 60
"""Seconds after which something that should appear counts as missing."""


def missing() -> str | None:
    """Return why no browser can be driven here, or None if one can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed (pip install selenium)"
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "chromium and chromedriver are not installed (apt-get install chromium-driver)"
    return None


def require() -> None:
    """Skip the test where no browser can be driven; under CI, which installs one, fail it."""
    reason = missing()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@dataclass(frozen=True)
class Page:
    """An open report."""

    driver: Any

    def result_paths(self) -> list[str]:
        """Return the paths of the results that the report holds."""
        return self.driver.execute_script("return Object.keys(results)")

    def shows(self, path: str) -> bool:
        """Open a result as its button does; return whether an image or a table appears."""
        kind = "html" if path.endswith(".html") else "img"
        uri = self.driver.execute_script("return results[arguments[0]].data_uri", path)
        self.view(path, kind, uri)
        return self.until(self.has_table if kind == "html" else self.has_image)

    def view(self, path: str, kind: str, uri: str) -> None:
        """Show what a link holds in the place of a result."""
        self.driver.execute_script(
            "app.setView({content: arguments[1], contentPath: arguments[2],"
            " resultPath: arguments[0], navbarMode: 'resultinfo'})",
            path,
            kind,
            uri,
        )

    def has_image(self) -> bool:
        """Return whether a loaded image is on the page beside the logo."""
        script = "const i = document.querySelector('#app div.p-3 img');"
        return self.driver.execute_script(
            script + "return Boolean(i && i.complete && i.naturalWidth > 0)"
        )

    def has_table(self) -> bool:
        """Return whether a frame with a table's rows is on the page."""
        return bool(self.in_frame("return document.querySelector('tbody tr') !== null"))

    def in_frame(self, script: str) -> Any:
        """Return what a script says of the frame that shows a table, or None without one."""
        from selenium.webdriver.common.by import By

        frames = self.driver.find_elements(By.TAG_NAME, "iframe")
        if not frames:
            return None
        self.driver.switch_to.frame(frames[0])
        answer = self.driver.execute_script(script)
        self.driver.switch_to.default_content()
        return answer

    def image_is_whole(self) -> bool:
        """Return whether all of the open image is within the window, beside the menu."""
        return self.driver.execute_script(
            "const i = document.querySelector('#app div.p-3 img').getBoundingClientRect();"
            "const menu = document.querySelector('#app nav').getBoundingClientRect();"
            "return i.top >= 0 && i.left >= menu.right"
            " && i.bottom <= innerHeight && i.right <= innerWidth"
        )

    def scrolls_sideways(self) -> bool:
        """Return whether the page or its menu is wider than its place."""
        return self.driver.execute_script(
            "return [document.scrollingElement, document.querySelector('#app nav')]"
            ".some(e => e.scrollWidth > e.clientWidth)"
        )

    def headings_in_sight(self) -> list[str]:
        """Return the headings that the open table's frame shows whole, scrolled to the last row."""
        return self.in_frame(
            "document.querySelector('tbody tr:last-child').scrollIntoView({block: 'end'});"
            "return [...document.querySelectorAll('th')].filter(e => {"
            "  const r = e.getBoundingClientRect(), corner = [r.right - 2, r.top + 2];"
            "  return r.top >= 0 && r.left >= 0 && r.right <= document.documentElement.clientWidth"
            "    && document.elementFromPoint(...corner) === e;"
            "}).map(e => e.innerText.toLowerCase())"
        )

    def headings(self) -> list[str]:
        """Return all headings of the open table."""
        return self.in_frame(
            "return [...document.querySelectorAll('th')].map(e => e.innerText.toLowerCase())"
        )

    def caption(self) -> str:
        """Return the text beside the open result."""
        script = "return document.querySelector('#app nav').innerText"
        return self.driver.execute_script(script)

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

    def milliseconds(self) -> float:
        """Return the time from the call of the page to its first drawn content."""
        script = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
        return self.driver.execute_script(script)


@contextmanager
def opened(report: Path, width: int = 1440, height: int = 900) -> Iterator[Page]:
    """Open a report in a window of a size; no name resolves, so nothing can be loaded."""
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
    try:
        if width < 500:  # Narrower than a window can be.
            metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.get(report.resolve().as_uri())
        page = Page(driver)
        script = "return Boolean(document.querySelector('#app nav'))"
        assert page.until(lambda: driver.execute_script(script)), "the report does not open"
        yield page
    finally:
        driver.quit()
