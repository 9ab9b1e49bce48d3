"""The report: one page without a network, with every figure and table and no error."""

import re
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from project import Project

MEGABYTE = 2**20

WINDOWS = [(1440, 900), (1280, 720)]
"""Sizes at which a reader must reach everything, in pixels."""

TALL = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='400' height='{height}'>"
    "<rect width='400' height='{height}'/></svg>"
)
"""A figure of the user's own, taller than those of the toy study."""


@pytest.fixture(scope="module")
def toy(reference: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the finished toy study, for the report to be added to."""
    return reference.copy(tmp_path_factory.mktemp("report") / "project")


@pytest.fixture(scope="module")
def report(toy: Project) -> Path:
    """The report of the finished toy study."""
    toy.finish("--report", "results/report.html", "--", "all")
    return toy.results / "report.html"


@pytest.fixture(scope="module", params=WINDOWS, ids=lambda size: "{}x{}".format(*size))
def page(request: pytest.FixtureRequest, report: Path) -> Iterator[browser.Page]:
    """The report in a browser's window."""
    browser.require()
    with browser.opened(report, *request.param) as opened:
        yield opened


def shown(toy: Project) -> set[str]:
    """Return the tables and figures that the study has made, as a reader opens them."""
    results = [*toy.results.rglob("tables/*.html"), *toy.results.rglob("figures/*.svg")]
    results.append(toy.results / "papers" / "audit.html")
    return {str(path.relative_to(toy.folder)) for path in results}


def test_ci_cannot_pass_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "missing", lambda: "there is none")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception):
        browser.require()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        browser.require()


def test_report_is_small_and_says_where_it_comes_from(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert len(text) < 15 * MEGABYTE
    assert "Commit: not a git checkout" in text
    assert "1 What does it cost?" in text
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"http", text)


def test_the_front_page_leads_to_every_table_and_figure(toy: Project) -> None:
    text = (toy.results / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"#]+)"', text)
    assert {f"results/{link}" for link in links} == shown(toy)
    assert "<img" in text


def test_report_holds_every_table_and_figure(page: browser.Page, toy: Project) -> None:
    assert set(page.result_paths()) == shown(toy)


def test_every_result_opens_with_its_caption(page: browser.Page) -> None:
    for path in page.result_paths():
        assert page.shows(path), path
        assert "Reading:" in page.caption(), path


def test_every_figure_is_whole_in_the_window(page: browser.Page) -> None:
    figures = [path for path in page.result_paths() if path.endswith(".svg")]
    assert figures
    for path in figures:
        assert page.shows(path), path
        assert page.image_is_whole(), path


@pytest.mark.parametrize("height", [400, 480, 900])
def test_figures_of_any_shape_are_whole_in_the_window(page: browser.Page, height: int) -> None:
    page.view(page.result_paths()[0], "img", TALL.format(height=height))
    assert page.until(page.has_image)
    assert page.image_is_whole()


def test_nothing_but_a_table_scrolls_sideways(page: browser.Page) -> None:
    for path in page.result_paths():
        assert page.shows(path), path
        assert not page.scrolls_sideways(), path


def test_headings_and_verdicts_stay_in_sight(page: browser.Page) -> None:
    seen = set()
    for path in page.result_paths():
        if path.endswith(".html"):
            assert page.shows(path), path
            named, *_ = headings = page.headings()
            expected = {named, "verdict"} & set(headings)
            assert expected <= set(page.headings_in_sight()), path
            seen |= expected
    assert "verdict" in seen


def test_console_shows_no_error(page: browser.Page) -> None:
    assert page.errors() == []
