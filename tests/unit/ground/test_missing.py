"""What a study still has to fetch is one list, each once, and shrinks as files come."""

from pathlib import Path

from fbftl.ground.hub import lacking, pinned
from fbftl.ground.missing import Missing, listed

HUB = {"repository": "a/b", "revision": "0" * 40, "files": {"x/one": "1" * 64, "two": "2" * 64}}


def test_a_list_names_address_and_place_once() -> None:
    first, second = Missing("https://example.org/1", "here/1"), Missing("pip install x", "there")
    text = listed([first, second, first])
    assert text.count("https://example.org/1\n    to here/1") == 1
    assert "pip install x\n    to there" in text
    assert listed([]) == ""


def test_pinned_files_are_lacking_one_by_one(tmp_path: Path) -> None:
    files = lacking(pinned(HUB), tmp_path)
    base = f"https://huggingface.co/a/b/resolve/{'0' * 40}"
    assert files == [
        Missing(f"{base}/x/one", str(tmp_path / "x/one")),
        Missing(f"{base}/two", str(tmp_path / "two")),
    ]
    (tmp_path / "two").touch()
    assert lacking(pinned(HUB), tmp_path) == files[:1]
