"""The article: every sentence once, every number from a table, and nothing beside the page."""

import re

import pytest
import write_article
from fbftl.findings import browser
from fbftl.findings.article import Document, article, read_documents
from fbftl.findings.coverage import Item
from fbftl.findings.kept import KEPT
from fbftl.findings.leading import outcomes, registered
from fbftl.findings.scoreboard import scores
from fbftl.ground.errors import UserError

SAID = {
    "id": "ant-01", "system": "ants", "says": "Ants < bees.", "place": "Sec. 2",
    "margin": "3 points", "status": "tested", "reason": "",
}  # fmt: skip

RUN = {
    "sentence": "ant-01", "task": "hill-full", "size": "full", "seeds": "9.0",
    "shown": "4.0 [3.1, 4.9] points", "overall": "holds", "note": "",
}  # fmt: skip


def shown(**changes) -> Document:
    """Return a document with a sentence that holds."""
    fields = {
        "paper": "ants", "title": "On ants", "says": ["Ants carry."], "systems": ["ants"],
        "sentences": [SAID], "found": {"ant-01": [RUN]}, "settings": 2, "repetitions": 18,
        "missing_hours": 0.0, "easy": "The code.", "hard": "The data.", "figure": None,
    }  # fmt: skip
    return Document(**(fields | changes))


def page(document: Document) -> str:
    """Return an article of one document."""
    return article([document], scores([]))


def test_a_sentence_has_its_printed_number_ours_its_scale_and_its_verdict():
    row = re.search(r"<tr><td>ant-01.*?</tr>", page(shown()))[0]
    for part in ("Ants &lt; bees.", "Sec. 2", "3 points", RUN["shown"], "hill-full", "holds"):
        assert part in row


def test_each_document_has_all_seven_headings():
    names = re.findall(r"<dt>(.*?)</dt>", page(shown()))
    assert names == [
        "Claim", "Method", "Data", "Result", "What was easy", "What was hard", "Cost",
    ]  # fmt: skip


def test_cost_tells_what_was_trained_and_what_it_would_take():
    assert "2 settings, 18 trainings over all seeds." in page(shown())
    assert "hours of one core" not in page(shown())
    assert "12.5 hours of one core" in page(shown(missing_hours=12.5))
    assert "What was trained is not kept." in page(shown(settings=0, repetitions=0))


def test_a_sentence_without_results_is_to_be_run():
    text = page(shown(found={}))
    assert "<td>to be run</td>" in text
    assert "Nothing is kept." in text
    assert "No task is kept." in text


def test_a_figure_is_inside_the_page():
    assert 'src="data:image/svg+xml;base64,' in page(shown(figure="<svg/>"))


def test_the_project_s_article_has_every_sentence_and_needs_no_other_file(root, monkeypatch):
    monkeypatch.setattr(write_article, "write_text", lambda path, text: texts.append(text))
    texts: list[str] = []
    write_article.main(root / KEPT, root)
    (text,) = texts
    every = registered(root / "published")
    assert set(re.findall(r"<tr><td>([\w-]+-\d\d)</td>", text)) == set(every)
    assert not re.search(r"(?:src|href)=\"(?!data:)", text)


def test_a_paper_without_words_on_easy_and_hard_is_refused(root, tmp_path):
    published = tmp_path / "published"
    published.mkdir()
    (published / "experience.csv").write_text("paper,easy,hard\n")
    (published / "papers.csv").write_text("paper,title,place,says\nants,On ants,Sec. 1,Carry.\n")
    items: list[Item] = []
    with pytest.raises(UserError, match="no row of 'ants'; add it"):
        read_documents(tmp_path, tmp_path, items, outcomes([]))


def test_a_folder_without_sentences_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"has no \{paper\}/tables/sentences.csv"):
        write_article.main(tmp_path, tmp_path)


def test_without_a_browser_there_is_one_sentence_and_no_failure(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(write_article, "main", lambda results: tmp_path / "article.html")
    monkeypatch.setattr(browser.shutil, "which", lambda name: None)
    write_article.called([])
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path / 'article.html'}\n"
    assert "no PDF and no picture was made" in printed.err
    assert not list(tmp_path.iterdir())


def test_two_folders_are_one_too_many():
    with pytest.raises(UserError, match="'b' is one too many"):
        write_article.called(["a", "b"])


@pytest.mark.parametrize(("script", "sentence"), [("exit 3", "did not print"), ("", "did not")])
def test_a_browser_that_prints_nothing_is_told(monkeypatch, tmp_path, script, sentence):
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(browser.shutil, "which", lambda name: str(program))
    with pytest.raises(UserError, match=sentence):
        browser.printed_pdf(tmp_path / "page.html", tmp_path / "page.pdf")
    assert not (tmp_path / "page.pdf").exists()
