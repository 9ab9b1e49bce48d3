"""Write all verdicts as one page that works offline, and as a PDF where a browser can print it.

    ./run article [results]

`results` is the folder whose `papers/` is read, `docs/results` if none is given, or `results` after
`./run papers`. The page goes to `results/article.html`, the PDF beside it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from fbftl.findings.article import article, read_documents
from fbftl.findings.browser import printed_pdf
from fbftl.findings.coverage import read_items
from fbftl.findings.kept import KEPT
from fbftl.findings.leading import outcomes
from fbftl.findings.scoreboard import scores
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text

PAGE = Path("results", "article.html")


def main(results: Path, root: Path = Path()) -> Path:
    """Write the page and return its path.

    Args:
        results: folder with `papers/{paper}/tables/sentences.csv`.
        root: the project's folder.

    Raises:
        UserError: if the folder has no such table.
    """
    papers = results / "papers"
    found = outcomes(papers.glob("*"))
    if not found:
        raise UserError(
            f"{papers} has no {{paper}}/tables/sentences.csv; name a folder of results, as "
            "./run papers makes it, or none for the kept ones"
        )
    documents = read_documents(root, papers, read_items(root / "published/coverage.csv"), found)
    page = root / PAGE
    write_text(page, article(documents, scores(papers.glob("*"))))
    return page


def called(words: Sequence[str]) -> None:
    """Write page and PDF, and print where they are; no PDF is no failure.

    Raises:
        UserError: if there is more than one word, or nothing to write.
    """
    if len(words) > 1:
        raise UserError(f"./run article takes one folder of results; '{words[1]}' is one too many")
    page = main(Path(words[0]) if words else KEPT)
    print(page)
    pdf = page.with_suffix(".pdf")
    try:
        printed_pdf(page, pdf)
    except UserError as error:
        print(error, file=sys.stderr)
    else:
        print(pdf)


if __name__ == "__main__":
    try:
        called(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
