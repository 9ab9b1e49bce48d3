"""The scoreboard: each sentence once, in one column, and on the page what is kept."""

from pathlib import Path

import pytest
import renew_results
from fbftl.findings.front import ORDER
from fbftl.findings.prose import fill
from fbftl.findings.scoreboard import ALL, COLUMNS, counted, fill_scoreboard, numbers, scores
from fbftl.ground.errors import UserError

HEAD = "sentence,task,verdict,overall\n"


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    """Two papers: a sentence that two tasks ran, and one by formula; one that nothing ran."""
    ants = HEAD + "a-1,hill-full,holds,depends on the case\n"
    ants += "a-1,dale-full,the contrary holds,depends on the case\na-2,,,by formula: holds\n"
    for name, table in {"ants": ants, "bees": HEAD + "b-1,,not run,not run\n"}.items():
        (tmp_path / name / "tables").mkdir(parents=True)
        (tmp_path / name / "tables" / "sentences.csv").write_text(table)
    return [*tmp_path.iterdir(), tmp_path / "wasps"]


def test_a_sentence_counts_once_whatever_the_tasks(papers):
    board = scores(papers)
    assert [*board] == ["ants", "bees", ALL]
    assert {k: v for k, v in board["ants"].items() if v} == {
        "sentences": 2, "depends on the case": 1, "by formula: holds": 1,
    }  # fmt: skip
    assert {k: v for k, v in board["bees"].items() if v} == {"sentences": 1, "to be run": 1}
    assert board[ALL]["sentences"] == 3


def test_every_verdict_of_sentences_has_one_column():
    of_columns = [verdict for verdicts in COLUMNS.values() for verdict in verdicts]
    assert sorted(of_columns) == sorted(set(ORDER) - {"reproduced", "differs", "not comparable"})


def test_another_verdict_is_refused():
    with pytest.raises(UserError, match="sentence a-1 comes to 'maybe', which no column"):
        counted({"a-1": "maybe"})


def test_counts_have_names_and_the_table_is_filled_again_and_again(papers):
    board = scores(papers)
    count = "<!--papers/ants/undecided:.0f-->9<!---->"
    page = f"# Papers\n<!--scoreboard:papers-->\nstale\n<!--end-->\n{count}"
    once = fill(fill_scoreboard(page, board), numbers(board), "page")
    assert "| [bees](bees.md) | 1 |" in once
    assert once.endswith("<!--papers/ants/undecided:.0f-->0<!---->")
    assert "stale" not in once
    assert fill_scoreboard(once, board) == once
    by_verdict = fill_scoreboard(page.replace(":papers-->", ":verdicts-->"), board)
    assert "| paper | [ants](ants.md) | [bees](bees.md) | all |" in by_verdict
    assert "| depends on the case | 1 | 0 | 1 |" in by_verdict
    assert "| [bees](docs/papers/bees.md) | 1 |" in fill_scoreboard(page, board, "docs/papers")


def test_the_page_of_papers_has_the_scoreboard_of_the_kept_results(root):
    page = root / "docs" / "papers" / "README.md"
    text, board = page.read_text(encoding="utf-8"), renew_results.committed_scores(root)
    assert fill_scoreboard(text, board) == text
    assert f"| {ALL} | {board[ALL]['sentences']} |" in text
