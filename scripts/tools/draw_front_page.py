"""Draw `docs/images/front-page.png`, the top of the page of results, from the kept ones.

    PYTHONPATH=scripts python scripts/tools/draw_front_page.py

For maintainers; no rule runs it. It needs a browser on the machine.
"""

import sys
from datetime import date
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from fbftl.findings.browser import screenshot
from fbftl.findings.front import Shown, StudyFacts, front_page, rows
from fbftl.findings.kept import KEPT
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text
from fbftl.ground.provenance import commit

PICTURE = Path("docs", "images", "front-page.png")

WIDTH, HEIGHT = 1000, 760
"""Of the picture in pixels; a code host shows it at some 800."""

ARITHMETIC = "Every number of this page was computed in arithmetic that other machines repeat."
"""What a study's page says of kept results, which are computed exactly or refused."""


def main(root: Path = Path()) -> None:
    """Draw the picture.

    Raises:
        UserError: if the machine has no browser.
    """
    kept, shown = root / KEPT / "papers", []
    papers = groupby(rows(root / "published/papers.csv"), itemgetter("paper", "title"))
    for (paper, title), lines in papers:
        figures = [str(path.resolve()) for path in sorted(kept.glob(f"{paper}/figures/*.svg"))]
        sentences = kept / paper / "tables" / "sentences.csv"
        results = [*figures, str(sentences.with_suffix(".html").resolve())]
        shown.append(Shown(paper, title, list(lines), rows(sentences), (), results))
    with TemporaryDirectory() as folder:
        page = Path(folder, "index.html")
        audit = str(kept.resolve() / "audit.html")
        study = StudyFacts([], ARITHMETIC, commit(), f"{date.today():%d %B %Y}", "any processor")
        write_text(page, front_page(shown, audit, study, {}, str(page.parent.resolve())))
        screenshot(page, root / PICTURE, WIDTH, HEIGHT)


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(str(error))
