"""The report: one page without a network, with every figure and table and no error."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from project import Project

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def toy(reference: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the finished toy study, for the report to be added to."""
    folder = tmp_path_factory.mktemp("report") / "project"
    return Project(Path(shutil.copytree(reference.folder, folder, symlinks=True)))


@pytest.fixture(scope="module")
def report(toy: Project) -> Path:
    """The report of the finished toy study."""
    toy.finish("--report", "results/report.html", "--", "all")
    return toy.results / "report.html"


@pytest.fixture(scope="module")
def page(report: Path) -> Iterator[browser.Page]:
    """The report in a browser."""
    browser.require()
    with browser.opened(report) as opened:
        yield opened


def shown(toy: Project) -> set[str]:
    """Return the tables and figures that the study has made, as a reader opens them."""
    found = [*toy.results.rglob("tables/*.html"), *toy.results.rglob("figures/*.svg")]
    found.append(toy.results / "papers" / "audit.html")
    return {str(path.relative_to(toy.folder)) for path in found}


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


def test_report_holds_every_table_and_figure(page: browser.Page, toy: Project) -> None:
    assert set(page.result_paths()) == shown(toy)


def test_every_result_opens_with_its_caption(page: browser.Page) -> None:
    for path in page.result_paths():
        assert page.shows(path), path
        assert "Reading:" in page.caption(), path


def test_console_shows_no_error(page: browser.Page) -> None:
    assert page.errors() == []
