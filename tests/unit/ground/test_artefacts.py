"""The store: names by content, first writer wins, nothing half-written, damage is one sentence."""

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from fbftl.ground import artefacts
from fbftl.ground.artefacts import Artefact, Store, canonical, exclusive, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import parsed, replacing, sha256

RECIPE = {"kind": "run", "seed": 1, "rate": 0.1}


def test_a_key_does_not_depend_on_the_order_of_keys():
    other = dict(reversed(RECIPE.items()))
    assert key_of(canonical(RECIPE)) == key_of(canonical(other))
    assert key_of(canonical(RECIPE)) != key_of(canonical(RECIPE | {"seed": 2}))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_recipe_holds_numbers_alone(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical({"rate": value})


def test_what_is_there_stays_and_is_read_only(tmp_path):
    store = Store(tmp_path / "store")
    assert store.keys("runs", ".json") == set()
    store.put_json("runs", "a", {"recipe": RECIPE, "b": 1, "a": 2})
    store.put_json("runs", "a", {"recipe": RECIPE, "b": 3})
    assert list(store.json("runs", "a", RECIPE)) == ["recipe", "b", "a"]
    assert store.keys("runs", ".json") == {"a"}
    assert stat.S_IMODE(store.path("runs", "a", ".json").stat().st_mode) == 0o444
    assert os.listdir(tmp_path / "store" / "runs") == ["a.json"]


def test_an_error_leaves_nothing_under_the_name(tmp_path):
    store = Store(tmp_path)

    def fail() -> None:
        with store.putting("runs", "a", ".json") as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert os.listdir(tmp_path / "runs") == []


@pytest.mark.parametrize("there", [False, True])
def test_without_hard_links_a_file_is_renamed(tmp_path, monkeypatch, there):
    store = Store(tmp_path)
    if there:
        store.put_json("runs", "a", {"b": 1})

    def no_links(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no links here")

    monkeypatch.setattr(artefacts.os, "link", no_links)
    store.put_json("runs", "a", {"b": 2})
    assert store.json("runs", "a") == {"b": 1 if there else 2}
    assert os.listdir(tmp_path / "runs") == ["a.json"]


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
def test_a_damaged_or_foreign_file_is_one_sentence(tmp_path, content, sentence):
    store = Store(tmp_path)
    (tmp_path / "runs").mkdir()
    store.path("runs", "a", ".json").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        store.json("runs", "a", RECIPE)
    with pytest.raises(UserError, match=r"b\.json cannot be read"):
        store.json("runs", "b", RECIPE)


WANTED = [Artefact("features", {"cut": cut}) for cut in ("fc1", "fc2")]


def filled(parts: Mapping[str, Path]) -> None:
    """Write a file of an artefact's own and one below it."""
    for key, part in parts.items():
        (part / "deep").mkdir(exist_ok=True)
        (part / "a").write_text(key)
        (part / "deep" / "b").write_text(key)


def test_several_files_are_read_only_with_recipe_and_digests(tmp_path):
    store = Store(tmp_path)
    store.make(WANTED, filled)
    assert store.folders("features") == {each.key for each in WANTED}
    for each in WANTED:
        folder = store.folder("features", each.key)
        assert {path.name for path in folder.iterdir()} == {"a", "deep", "recipe.json"}
        modes = {p.stat().st_mode & 0o777 for p in folder.rglob("*") if p.is_file()}
        assert modes == {0o444}
        document = parsed((folder / "recipe.json").read_bytes())
        assert document == {"recipe": each.recipe, "files": {"a": sha256(folder / "a")}}
        store.require("features", each.key)
        assert store.artefact_of(str(folder / "deep" / "b")) == ("features", each.key)
    store.make(WANTED, lambda parts: pytest.fail("made again"))


def test_what_a_killed_call_finished_lies_there_for_the_next(tmp_path):
    """Killed as by the system, in the middle of a file; half a file is nobody's."""
    store, (each, _) = Store(tmp_path), WANTED

    def killed(parts: Mapping[str, Path]) -> None:
        (parts[each.key] / "whole").write_text("done")
        with replacing(parts[each.key] / "next") as temporary:
            temporary.write_text("half")
            os._exit(9)

    if (child := os.fork()) == 0:
        store.make([each], killed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert store.folders("features") == set()
    found: list[str] = []
    store.make([each], lambda parts: found.extend(sorted(os.listdir(parts[each.key]))))
    assert found == ["lock", "whole"]
    assert os.listdir(tmp_path / "features") == [each.key]


def test_nobody_else_writes_until_the_artefact_has_its_name(tmp_path, monkeypatch):
    """A second call that looks between the last byte and the name has to wait."""
    store, (each, _) = Store(tmp_path), WANTED
    part, seen = tmp_path / "features" / f"{each.key}.part", []

    def looked_at(path: Path) -> str:
        with pytest.raises(UserError, match="is being written by"), exclusive(part):
            pass
        seen.append(path.name)
        return sha256(path)

    monkeypatch.setattr(artefacts, "sha256", looked_at)
    store.make([each], filled)
    assert seen == ["a"]
    assert sorted(os.listdir(store.folder("features", each.key))) == ["a", "deep", "recipe.json"]


def test_the_first_writer_wins(tmp_path):
    """Of two that do not see each other's lock, as on two machines."""
    store, (each, _) = Store(tmp_path), WANTED

    def overtaken(parts: Mapping[str, Path]) -> None:
        other = store.folder("features", each.key)
        other.mkdir()
        (other / "a").write_text("first")
        (parts[each.key] / "a").write_text("second")

    store.make([each], overtaken)
    assert (store.folder("features", each.key) / "a").read_text() == "first"
    assert os.listdir(tmp_path / "features") == [each.key]


def test_an_artefact_under_another_name_is_refused(tmp_path):
    store, (one, other) = Store(tmp_path), WANTED
    store.make([one], filled)
    store.folder("features", one.key).rename(store.folder("features", other.key))
    with pytest.raises(UserError, match=f"{other.key} is of another recipe than its name says"):
        store.require("features", other.key)
    with pytest.raises(UserError, match=r"recipe\.json cannot be read"):
        store.require("features", one.key)


def test_lock_on_a_deleted_folder_is_no_lock(tmp_path):
    folder = tmp_path / "work"
    with exclusive(folder):
        (folder / "lock").unlink()
        folder.rmdir()
        with exclusive(folder), pytest.raises(UserError), exclusive(folder):
            pytest.fail("held twice")
