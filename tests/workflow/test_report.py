"""What a person looks at: the front page and tables, on a screen and on a phone; the report."""

import re
from pathlib import Path

import browser
import pytest
from project import Project

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
    """Snakemake's report of the toy study with all of its paper, as `./run report` makes it."""
    page = ("--report", "results/report.html", "--report-after-run")
    toy.finish(*page, study={"papers": "fbftl"})
    return toy.results / "report.html"


def shown(toy: Project) -> set[str]:
    """Return the tables and figures that the study has made, as a reader opens them."""
    results = [*toy.results.rglob("tables/*.html"), *toy.results.rglob("figures/*.svg")]
    results.append(toy.results / "papers" / "audit.html")
    return {str(path.relative_to(toy.folder)) for path in results}


def test_report_holds_every_table_and_figure_and_says_where_it_comes_from(report, toy):
    text = report.read_text(encoding="utf-8")
    assert "Commit: not a git checkout" in text
    assert [path for path in sorted(shown(toy)) if path not in text] == []


def test_the_front_page_leads_to_every_table_and_figure(toy, report):
    text = (toy.results / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"#]+)"', text)
    beside = {"report.html", "../docs/_build/README.html", "digits/runs.csv"}
    assert {f"results/{link}" for link in set(links) - beside} == shown(toy)
    assert "<img" in text


def test_every_table_leads_back_and_to_its_csv(toy):
    for path in shown(toy):
        if path.endswith(".html"):
            page = toy.folder / path
            back, csv = re.findall('href="([^"]+)"', page.read_text(encoding="utf-8"))
            assert (page.parent / back).resolve() == (toy.results / "index.html").resolve()
            assert (page.parent / csv).is_file()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_kept_out_and_nothing_is_off_the_screen(toy, dark):
    browser.require(browser.missing_axe())
    size = WINDOWS[dark]
    with browser.opened(toy.results / "index.html", *size, dark=dark) as page:
        for name in ("index.html", *TABLES):
            page.open_page(toy.results / name)
            assert page.violations() == [], name
            assert not page.scrolls_sideways(), name
