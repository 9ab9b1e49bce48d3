"""What a person looks at: the front page, tables and the report, on a screen and on a phone."""

import re
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from project import Project

MEGABYTE = 2**20

WINDOWS = [(1440, 900), (390, 844)]
"""A screen's and a phone's, in pixels."""

TABLES = (
    "digits/tables/scarcity.html",
    "papers/fbftl/tables/claims.html",
    "papers/audit.html",
)


@pytest.fixture(scope="module")
def toy(reference: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the finished toy study, for the report to be added to."""
    return reference.copy(tmp_path_factory.mktemp("report") / "project")


@pytest.fixture(scope="module")
def report(toy: Project) -> Path:
    """The report of the toy study with all of its paper, as `./run report` makes it."""
    study = {"papers": "fbftl"}
    toy.finish(study=study)
    page = ("--reporter", "papers", "--report-papers-path", "results/report.html")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(toy.folder / "workflow" / "plugins"))
        toy.finish(*page, "--", "all", study=study)
    return toy.results / "report.html"


@pytest.fixture(scope="module", params=WINDOWS, ids=lambda size: "{}x{}".format(*size))
def page(request: pytest.FixtureRequest, report: Path) -> Iterator[browser.Page]:
    """The report in a browser's window."""
    browser.require(browser.missing())
    with browser.opened(report, *request.param) as opened:
        yield opened


def shown(toy: Project) -> set[str]:
    """Return the tables and figures that the study has made, as a reader opens them."""
    results = [*toy.results.rglob("tables/*.html"), *toy.results.rglob("figures/*.svg")]
    results.append(toy.results / "papers" / "audit.html")
    return {str(path.relative_to(toy.folder)) for path in results}


def papers(report: Path) -> list[str]:
    """Return the ends of the addresses of the report's pages."""
    return re.findall('class="page" id="([^"]+)"', report.read_text(encoding="utf-8"))


def test_report_is_small_and_says_where_it_comes_from(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert len(text) < 6 * MEGABYTE
    assert "Commit: not a git checkout" in text
    assert "digits (2 seeds)" in text
    assert "rulegraph" not in text
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"http", text)


def test_the_front_page_leads_to_every_table_and_figure(toy: Project) -> None:
    text = (toy.results / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"#]+)"', text)
    beside = {"report.html", "../docs/_build/README.html", "digits/runs.csv"}
    assert {f"results/{link}" for link in set(links) - beside} == shown(toy)
    assert "<img" in text


def test_every_table_leads_back_and_to_its_csv(toy: Project) -> None:
    for path in shown(toy):
        if path.endswith(".html"):
            page = toy.folder / path
            back, csv = re.findall('href="([^"]+)"', page.read_text(encoding="utf-8"))
            assert (page.parent / back).resolve() == (toy.results / "index.html").resolve()
            assert (page.parent / csv).is_file()


def test_report_holds_every_table_and_figure_with_its_caption(report: Path, toy: Project) -> None:
    text = report.read_text(encoding="utf-8")
    assert text.count("<article>") == len(shown(toy))
    assert text.count("<article>") == text.count("<strong>Reading:</strong>")
    figures = sum(path.endswith(".svg") for path in shown(toy))
    assert text.count("<img src='data:image/svg+xml,") == figures


def test_a_paper_has_a_page_of_its_own_with_whole_figures(page: browser.Page, report: Path) -> None:
    figures = 0
    for paper in papers(report):
        page.go(paper)
        (title,) = page.texts("h1")
        assert title != "The study, paper by paper"
        assert not page.scrolls_sideways(), title
        assert page.until(lambda: page.images_in_sight() >= 0)
        figures += page.images_in_sight()
    assert figures == report.read_text(encoding="utf-8").count("<img ")
    page.go("")
    assert page.texts("h1") == ["The study, paper by paper"]
    assert not page.scrolls_sideways()
    assert page.errors() == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_kept_out_and_nothing_is_off_the_screen(
    toy: Project, report: Path, dark: bool
) -> None:
    browser.require(browser.missing_axe())
    size = WINDOWS[dark]
    with browser.opened(toy.results / "index.html", *size, dark=dark) as page:
        for name in ("index.html", report.name, *TABLES):
            page.open_page(toy.results / name)
            assert page.violations() == [], name
            assert not page.scrolls_sideways(), name
        page.open_page(report)
        page.go(papers(report)[0])
        assert page.violations() == []
