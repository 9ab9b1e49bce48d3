"""`./run clean` removes what nobody asks for, finds what was changed, tells what decides a key."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from clean_store import main
from fbftl.data.clients import Client, write_clients
from fbftl.features.extract import extract
from fbftl.features.store.provenance import Target
from fbftl.findings.run_file import with_digests
from fbftl.ground.artefacts import Artefact, Store, canonical, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_json
from fbftl.plan.planned import REGISTERED
from unit.features import store_toys as toys

CLIENTS, FEATURES = Artefact("clients", {"clients": 1}), Artefact("features", {"cut": "dense"})
RUN, UNASKED = ({"seed": seed, "setting": {}} for seed in (0, 1))


def runs_of(recipe: dict) -> str:
    return key_of(canonical(recipe))


def extracted(parts: dict[str, Path]) -> None:
    (target, _) = toys.toy_targets(parts[FEATURES.key])
    place = Target(parts[FEATURES.key] / "features.zarr", target.provenance, chunk_bytes=8000)
    extract(toys.ToySource(), toys.toy_forward, [place], batch=toys.BATCH)


def partitioned(parts: dict[str, Path]) -> None:
    client = Client("0", np.arange(3), {"pixels": np.zeros((3, 8, 8, 1), np.uint8)})
    write_clients(parts[CLIENTS.key] / "clients.h5", {"train": [client]})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with clients, features and two runs, one of which a folder of results asks for."""
    store, results = Store(tmp_path / "store"), tmp_path / "results"
    store.make([CLIENTS], partitioned)
    store.make([FEATURES], extracted)
    for recipe in (RUN, UNASKED):
        ledger = store.path("runs", runs_of(recipe), ".parquet")
        ledger.parent.mkdir(exist_ok=True)
        ledger.write_bytes(b"a message")
        run = with_digests({"recipe": recipe, "accuracy": 0.5}, sha256(ledger))
        store.put_json("runs", runs_of(recipe), run)
    store.put_note("notes", "a", {})
    results.mkdir()
    keys = {"runs": [runs_of(RUN)], "clients": [CLIENTS.key], "features": [FEATURES.key]}
    write_json(store.root / REGISTERED / "r.json", {"folder": str(results), "keys": keys})
    return store


def test_what_no_registered_folder_asks_for_is_listed_and_removed_on_demand(store, capsys):
    everything = toys.files(store.root)
    for yes in (False, True):
        main(store, yes=yes, verifying=False, recipe=None)
        *listed, _ = capsys.readouterr().out.splitlines()
        names = [Path(line.split()[-1]).name for line in listed]
        assert names == [f"{runs_of(UNASKED)}{suffix}" for suffix in (".json", ".parquet")]
        gone = everything.keys() - toys.files(store.root).keys()
        assert gone == ({f"runs/{name}" for name in names} if yes else set())


def test_a_folder_of_results_that_is_gone_asks_for_nothing(store, tmp_path):
    (tmp_path / "results").rmdir()
    main(store, yes=True, verifying=False, recipe=None)
    assert {path.split("/")[0] for path in toys.files(store.root)} == {"notes", REGISTERED}


@pytest.mark.parametrize(
    ("artefact", "name"),
    [
        (CLIENTS, "clients.h5"),
        (FEATURES, "features.zarr/train/features/c/1/0"),
        (None, ".json"),
        (None, ".parquet"),
    ],
)
def test_a_changed_byte_is_found(store, capsys, artefact, name):
    main(store, yes=False, verifying=True, recipe=None)
    assert "matches its name" in capsys.readouterr().out
    path = store.path("runs", runs_of(RUN), name)
    if artefact is not None:
        path = store.folder(artefact.kind, artefact.key) / name
    content = bytearray(path.read_bytes())
    content[content.index(b"0.5") if name == ".json" else len(content) // 2] ^= 1
    os.chmod(path, 0o644)
    path.write_bytes(content)
    key = runs_of(RUN) if artefact is None else artefact.key
    with pytest.raises(UserError, match=f"^[^\n]*{key}[^\n]*remove[^\n]*$"):
        main(store, yes=False, verifying=True, recipe=None)


def test_what_decides_a_key_is_printed(store, capsys):
    for kind, recipe, key in (
        ("runs", RUN, runs_of(RUN)), (FEATURES.kind, FEATURES.recipe, FEATURES.key)
    ):  # fmt: skip
        main(store, yes=False, verifying=False, recipe=key)
        assert json.loads(capsys.readouterr().out) == {"kind": kind, "recipe": recipe}
    with pytest.raises(UserError, match="has no artefact with the key ffff"):
        main(store, yes=False, verifying=False, recipe="ffff")
    with pytest.raises(UserError, match="there is no store at"):
        main(Store(store.root / "nowhere"), yes=True, verifying=False, recipe=None)
