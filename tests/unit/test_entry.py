"""The entry `./run`: which words it refuses, and what it never touches."""

import shutil
import subprocess
from pathlib import Path

import pytest


def called(run: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call an entry from its folder."""
    return subprocess.run([run, *words], cwd=run.parent, capture_output=True, text=True)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence with which a call was refused."""
    assert (done.returncode, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    return sentence


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A folder with the entry and its lock, without an environment."""
    (tmp_path / "clone" / "envs").mkdir(parents=True)
    for name in ("run", "envs/requirements.txt", "envs/requirements.lock"):
        shutil.copy(root / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another project, with an environment of its own."""
    (tmp_path / "other" / ".venv").mkdir(parents=True)
    (tmp_path / "other" / ".venv" / "kept").touch()
    return tmp_path / "other"


@pytest.mark.parametrize("chain", [False, True])
def test_a_link_to_the_entry_acts_on_the_clone(clone, other, chain):
    link = other / "run"
    if chain:
        (other / "first").symlink_to("../clone/run")
        link.symlink_to("first")
    else:
        link.symlink_to(clone / "run")
    (clone / ".venv").mkdir()
    assert str(clone) in refused(called(link, "study"))
    assert (other / ".venv" / "kept").exists()
    assert called(link).stdout == called(clone / "run").stdout != ""


def test_a_copy_without_the_lock_touches_nothing(root, other):
    shutil.copy(root / "run", other)
    assert "lacks envs/requirements.lock" in refused(called(other / "run", "study"))
    assert (other / ".venv" / "kept").exists()


def test_an_environment_that_the_entry_did_not_make_stays(clone):
    (clone / ".venv").mkdir()
    (clone / ".venv" / "kept").touch()
    assert "was not made by ./run" in refused(called(clone / "run", "study"))
    assert (clone / ".venv" / "kept").exists()


@pytest.mark.parametrize(
    ("word", "verb"), [("stduy", "study"), ("test", "tests"), ("Report", "report")]
)
def test_a_misspelt_verb_names_the_nearest(clone, word, verb):
    assert f"'{word}'; did you mean ./run {verb}?" in refused(called(clone / "run", word))


def test_a_word_that_is_near_no_verb(clone):
    assert "did you mean" not in refused(called(clone / "run", "qqqqq"))


def test_papers_takes_one_paper(clone):
    assert "'survey' after 'fbftl'" in refused(called(clone / "run", "papers", "fbftl", "survey"))


def test_a_size_takes_one_system(clone):
    assert "name it after" in refused(called(clone / "run", "papers", "--full"))
    assert "name it after" in refused(called(clone / "run", "papers", "--full", "--cores"))
    words = ("papers", "--full", "fade", "ecos")
    assert "'ecos' after 'fade' is one too many" in refused(called(clone / "run", *words))
