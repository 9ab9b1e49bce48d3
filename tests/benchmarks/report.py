"""The report's size and the time it takes to open, with screenshots to look at.

python tests/benchmarks/report.py results/report.html [folder for screenshots]
"""

import re
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

import browser

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
OPENINGS = 5


def main(report: Path, folder: Path | None) -> None:
    """Print size and loading time; take screenshots of every result if asked to."""
    reason = browser.missing()
    if reason is not None:
        sys.exit(reason)
    print(f"size {report.stat().st_size / 2**20:.1f} MiB")
    for name, size in SIZES.items():
        times = []
        for _ in range(OPENINGS):
            with browser.opened(report, *size) as page:
                times.append(page.milliseconds())
        print(f"{name} opens in {median(times):.0f} ms (median of {OPENINGS})")
        if folder is not None:
            take_screenshots(report, folder / name, size)


def take_screenshots(report: Path, folder: Path, size: tuple[int, int]) -> None:
    """Save what a window of a size shows of the front and of every paper's page."""
    folder.mkdir(parents=True, exist_ok=True)
    with browser.opened(report, *size) as page:
        page.driver.save_screenshot(str(folder / "front.png"))
        for paper in re.findall('class="page" id="([^"]+)"', report.read_text(encoding="utf-8")):
            page.go(paper)
            page.driver.save_screenshot(str(folder / f"{paper}.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
