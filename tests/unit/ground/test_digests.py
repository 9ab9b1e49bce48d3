"""What tells that a file or folder of the user's has changed, and what is read for it."""

import os
from pathlib import Path

import fbftl.ground.digests as module
import pytest
from fbftl.findings.steps import load
from fbftl.ground.artefacts import Store
from fbftl.ground.digests import ALWAYS_READ, Digests
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256

LARGE = bytes(ALWAYS_READ) + b"!"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files whose content has been read, in order."""
    names = []

    def recording(path: str) -> str:
        names.append(Path(path).name)
        return sha256(path)

    monkeypatch.setattr(module, "sha256", recording)
    return names


def test_a_large_file_is_read_once_and_again_when_it_was_touched(tmp_path, read):
    large, kept = tmp_path / "large", tmp_path / "kept.json"
    large.write_bytes(LARGE)
    first = Digests(kept)
    digests = [first(large), first(large)]
    first.keep()
    digests.append(Digests(kept)(large))
    assert read == ["large"]
    os.utime(large)
    digests.append(Digests(kept)(large))
    assert read == ["large", "large"]
    assert set(digests) == {sha256(large)}


def test_a_file_replaced_under_an_older_date_or_its_own_is_noticed(tmp_path):
    large, other, kept = tmp_path / "large", tmp_path / "other", tmp_path / "kept.json"
    large.write_bytes(LARGE)
    digests = Digests(kept)
    before, status = digests(large), large.stat()
    digests.keep()
    for moment in (status.st_mtime_ns - 10**15, status.st_mtime_ns):
        other.write_bytes(b"?" + LARGE[1:])
        os.utime(other, ns=(moment, moment))
        os.replace(other, large)
        digests = Digests(kept)
        assert digests(large) == sha256(large) != before
        digests.keep()
        large.write_bytes(LARGE)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": 1}', b'{"a": [1, "x"]}', b"\xff"])
def test_a_damaged_memory_is_none(tmp_path, content):
    large, kept = tmp_path / "large", tmp_path / "kept.json"
    large.write_bytes(LARGE)
    kept.write_bytes(content)
    assert Digests(kept)(large) == sha256(large)


def overwrite(folder: Path) -> None:
    (folder / "cat/1.png").write_bytes(b"dog")


def give_another_time(folder: Path) -> None:
    """As when a file is replaced by one of the same size."""
    os.utime(folder / "cat/1.png", (1, 1))


def add(folder: Path) -> None:
    (folder / "cat/2.png").write_bytes(b"cat")


def rename(folder: Path) -> None:
    (folder / "cat/1.png").rename(folder / "cat/3.png")


@pytest.mark.parametrize("change", [overwrite, give_another_time, add, rename])
def test_a_folder_is_told_by_name_size_and_time_of_every_file(tmp_path, change):
    image = tmp_path / "data" / "cat" / "1.png"
    image.parent.mkdir(parents=True)
    image.write_bytes(b"cat")
    before, kept = Digests(tmp_path / "kept.json")(tmp_path / "data"), image.parent.stat()
    change(tmp_path / "data")
    # The folder's own time says nothing: an overwritten file leaves it as it was.
    os.utime(image.parent, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert Digests(tmp_path / "kept.json")(tmp_path / "data") != before


def test_hidden_files_circles_and_links_to_nothing_do_no_harm(tmp_path):
    folder = tmp_path / "data"
    (folder / "cat").mkdir(parents=True)
    before = Digests(tmp_path / "kept.json")(folder)
    (folder / ".DS_Store").write_text("x")
    (folder / "cat" / "again").symlink_to(folder)
    assert Digests(tmp_path / "kept.json")(folder) == before
    (folder / "cat" / "nothing").symlink_to(folder / "gone")
    assert Digests(tmp_path / "kept.json")(folder) != before


@pytest.mark.parametrize("change", [lambda path: path.write_text("b"), Path.unlink])
def test_a_product_of_a_file_that_changed_since_the_plan_is_not_made(tmp_path, change):
    data = tmp_path / "data"
    data.write_text("a")
    files = {str(data): sha256(data)}
    artefact = {"kind": "clients", "recipe": {}}
    making = {"step": {"script": "none"}, "artefacts": [artefact], "files": files}
    change(data)
    store = tmp_path / "store"
    with pytest.raises(UserError, match=f"{data} has changed since this call planned; call again"):
        load("stages/make_products.py").main({"makings": [making], "study": {}}, Store(store), 1)
    assert not store.exists()
