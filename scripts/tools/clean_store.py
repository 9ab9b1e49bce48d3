"""List what lies in the store and no folder of results asks for, and remove it.

    ./run clean [--yes] [--verify] [--store FOLDER]
    ./run clean --recipe KEY

A folder of results asks for what its last call was made of, as long as the folder is there. With
--verify every artefact is opened and compared with its digests instead. With --recipe what decides
an artefact is printed.
"""

import argparse
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fbftl.features.store.manifest import damage
from fbftl.findings.run_file import is_intact
from fbftl.ground.artefacts import DIGITS, RECIPE, Store, canonical, key_of
from fbftl.ground.errors import UserError, ending_with_sentence
from fbftl.ground.files import read_json, sha256
from fbftl.plan.opened import store_of
from fbftl.plan.planned import REGISTERED

OF_FILES = ("runs", "failed", "notes", "durations")
"""Folders of the store in which an artefact is a file or two; in others it is a folder."""


def main(store: Store, *, yes: bool, verifying: bool, recipe: str | None) -> None:
    """List, and remove, compare or print.

    Args:
        store: to look at.
        yes: whether to remove.
        verifying: whether to compare every artefact with its digests.
        recipe: key of which what decides it is printed.

    Raises:
        UserError: if there is no such store or key, or something is damaged.
    """
    if not store.root.is_dir():
        raise UserError(f"there is no store at {store.root}")
    if recipe is not None:
        print(json.dumps(recipe_of(store, recipe), indent=1, ensure_ascii=False))
    elif verifying:
        faults = list(damaged(store))
        if faults:
            raise UserError("\n".join(faults))
        print(f"every artefact in {store.root} matches its name")
    else:
        clean(store, yes=yes)


def artefacts(store: Store) -> Iterator[tuple[str, str, Path]]:
    """Yield kind, key and path of all files and folders of artefacts."""
    for kind in sorted(store.root.iterdir()):
        if kind.is_dir() and kind.name != REGISTERED:
            for path in sorted(kind.iterdir()):
                yield kind.name, path.name.partition(".")[0], path


def clean(store: Store, *, yes: bool) -> None:
    """List what nobody asks for, with size and date, and remove it on demand."""
    of_folders = dict(asked_for(store))
    wanted = {
        (kind, key) for keys in of_folders.values() for kind, of in keys.items() for key in of
    }
    total = 0
    for kind, key, path in artefacts(store):
        if kind in ("failed", "notes", "durations") or (kind, key) in wanted:
            continue
        size = size_of(path)
        total += size
        date = time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))
        print(f"{date} {size / 2**20:10.1f} MiB  {path}")
        if yes:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    folders = ", ".join(of_folders) or "no results folder"
    done = "removed" if yes else "to be removed with --yes"
    print(f"{total / 2**20:,.1f} MiB {done}; the rest is used by {folders}")


def asked_for(store: Store) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each folder of results that is there, and the keys that it asks for by kind."""
    for path in sorted((store.root / REGISTERED).glob("*.json")):
        registered = read_json(path, "register of a folder of results")
        if Path(registered["folder"]).is_dir():
            yield registered["folder"], registered["keys"]


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder."""
    if path.is_dir():
        return sum(size_of(each) for each in path.iterdir())
    return path.lstat().st_size


def damaged(store: Store) -> Iterator[str]:
    """Yield a sentence on each artefact that is not what its name says."""
    for kind, key, path in artefacts(store):
        if len(key) != DIGITS or path.suffix == ".part" or kind in OF_FILES[1:]:
            continue
        try:
            if kind == "runs":
                _compare_run(store, key, path)
            else:
                _compare_folder(store, kind, key)
        except UserError as error:
            yield str(error)


def _compare_run(store: Store, key: str, path: Path) -> None:
    if path.suffix != ".json":
        return
    run, ledger = store.json("runs", key), path.with_suffix(".parquet")
    if key_of(canonical(run["recipe"])) != key:
        raise UserError(f"{path} is of another recipe than its name says; remove it")
    if not ledger.is_file() or not is_intact(run, sha256(ledger)):
        raise UserError(f"{path} or its ledger is damaged; remove both, and the run is made again")


def _compare_folder(store: Store, kind: str, key: str) -> None:
    store.require(kind, key)
    folder = store.folder(kind, key)
    for name, digest in read_json(folder / RECIPE, "recipe")["files"].items():
        if not (folder / name).is_file() or sha256(folder / name) != digest:
            raise UserError(f"{folder / name} is damaged; remove {folder} and it is made again")
    for manifest in ("features.json", "public.json"):
        if (folder / manifest).is_file():
            for file, how in damage(folder / manifest):
                raise UserError(f"{folder}: {file} is {how}; remove it and it is made again")


def recipe_of(store: Store, key: str) -> Any:
    """Return what decides an artefact."""
    for kind, found, path in artefacts(store):
        if found == key and kind not in OF_FILES[1:]:
            file = path / RECIPE if path.is_dir() else path.with_suffix(".json")
            return {"kind": kind, "recipe": read_json(file, "artefact")["recipe"]}
    raise UserError(f"{store.root} has no artefact with the key {key}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="./run clean", description=__doc__.splitlines()[0])
    parser.add_argument("--yes", action="store_true", help="remove what is listed")
    parser.add_argument("--verify", action="store_true", help="compare all with its digests")
    parser.add_argument("--recipe", metavar="KEY", help="print what decides an artefact")
    parser.add_argument("--store", default=os.environ.get("FBFTL_STORE"), help="its folder")
    given = parser.parse_args()
    with ending_with_sentence():
        main(
            store_of({"store": given.store}),
            yes=given.yes, verifying=given.verify, recipe=given.recipe,
        )  # fmt: skip
