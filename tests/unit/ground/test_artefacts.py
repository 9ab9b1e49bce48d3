"""The store: names by content, first writer wins, nothing half-written, damage is one sentence."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from fbftl.ground import artefacts
from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.ground.errors import UserError

RECIPE = {"kind": "run", "seed": 1, "rate": 0.1}


def test_a_key_does_not_depend_on_the_order_of_keys_or_on_the_process() -> None:
    other = dict(reversed(RECIPE.items()))
    assert key_of(canonical(RECIPE)) == key_of(canonical(other))
    assert key_of(canonical(RECIPE)) != key_of(canonical(RECIPE | {"seed": 2}))
    code = (
        "from fbftl.ground.artefacts import canonical, key_of;"
        f"print(key_of(canonical({RECIPE!r})), end='')"
    )
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "scripts"}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert done.stdout == key_of(canonical(RECIPE)), done.stderr


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_recipe_holds_numbers_alone(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"rate": value})


def test_what_is_there_stays_and_is_read_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.keys("runs", ".json") == set()
    store.put_json("runs", "a", {"recipe": RECIPE, "b": 1, "a": 2})
    store.put_json("runs", "a", {"recipe": RECIPE, "b": 3})
    assert list(store.json("runs", "a", RECIPE)) == ["recipe", "b", "a"]
    assert store.keys("runs", ".json") == {"a"}
    assert stat.S_IMODE(store.path("runs", "a", ".json").stat().st_mode) == 0o444
    assert os.listdir(tmp_path / "store" / "runs") == ["a.json"]


def test_an_error_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def fail() -> None:
        with store.putting("runs", "a", ".json") as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert os.listdir(tmp_path / "runs") == []


@pytest.mark.parametrize("there", [False, True])
def test_without_hard_links_a_file_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    store = Store(tmp_path)
    if there:
        store.put_json("runs", "a", {"b": 1})

    def no_links(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no links here")

    monkeypatch.setattr(artefacts.os, "link", no_links)
    store.put_json("runs", "a", {"b": 2})
    assert store.json("runs", "a") == {"b": 1 if there else 2}
    assert os.listdir(tmp_path / "runs") == ["a.json"]


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(artefacts.os, "fsync", full)
    with pytest.raises(UserError, match=r"a\.json could not be written .*; make room for it"):
        Store(tmp_path).put_json("runs", "a", {})
    assert os.listdir(tmp_path / "runs") == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b"[1]", "cannot be read"),
        (b'{"recipe": {"seed": 2}}', "is of another recipe than its name says; remove it"),
        (b"{}", "is of another recipe"),
    ],
)
def test_a_damaged_or_foreign_file_is_one_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    store = Store(tmp_path)
    (tmp_path / "runs").mkdir()
    store.path("runs", "a", ".json").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        store.json("runs", "a", RECIPE)
    with pytest.raises(UserError, match=r"b\.json cannot be read"):
        store.json("runs", "b", RECIPE)
