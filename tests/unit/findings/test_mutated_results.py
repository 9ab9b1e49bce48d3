"""Mutated results: each is read as it was written or refused in one sentence, and its seal breaks.

`FBFTL_MUTATIONS=900 pytest -s FILE` makes 900 in all and counts them; the gate makes the first.
"""

import csv
import io
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fbftl.cost.layers import Network, convolution, dense, read_network, write_network
from fbftl.features.store.manifest import Manifest, read_manifest
from fbftl.findings.run_file import read_run
from fbftl.findings.runs import read_tidy, tidy, write_tidy
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_json
from fbftl.ground.records import record, write_record
from fbftl.ground.seals import broken
from fbftl.ground.staleness import (
    JobRecord,
    changed_inputs,
    changed_param,
    read_record,
    record_in,
    record_of_log,
)
from fbftl.messages.ledger import SCHEMA, Ledger, read_ledger
from unit.data.test_fuzz_files import RUN
from unit.study.test_fuzz_config import require_sentence

MUTATIONS = int(os.environ.get("FBFTL_MUTATIONS", 180))
KINDS = 6
EACH = -(-MUTATIONS // KINDS)
OTHER = [None, True, -1, 0, 1.5, "", "x", [], [1], {}, {"x": 1}]
BEYOND = [-1, -0.5, 1.01, 2**63, 10**30, 1e308, float("nan"), float("inf"), float("-inf")]
LOG = "results/toy/logs/a.log"


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which one to three are others."""
    spoiled = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        spoiled[rng.randrange(len(spoiled))] ^= rng.randint(1, 255)
    return bytes(spoiled)


def cut(content: bytes, rng: random.Random) -> bytes:
    """Return the beginning of a file."""
    return content[: rng.randrange(len(content))]


def nodes(document: Any) -> list[tuple[Any, Any]]:
    """Return every mapping and list of a document with each of its keys."""
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    pairs_below = []
    for key, value in pairs:
        pairs_below.append((document, key))
        if isinstance(value, dict | list):
            pairs_below += nodes(value)
    return pairs_below


def in_json(change: str) -> Callable[[bytes, random.Random], bytes]:
    """Return what removes a key, doubles one, or gives one another value."""

    def mutated(content: bytes, rng: random.Random) -> bytes:
        document = json.loads(content)
        there = nodes(document)
        if change == "beyond":
            there = [(n, k) for n, k in there if type(n[k]) in (int, float)] or there
        node, key = rng.choice(there)
        if change == "doubled":
            (owner, name) = rng.choice([(n, k) for n, k in there if isinstance(n, dict)])
            old = json.dumps({name: owner[name]})[1:-1]
            text = json.dumps(document)
            other = f"{json.dumps(name)}: {json.dumps(rng.choice(OTHER))}, {old}"
            return text.replace(old, other, 1).encode()
        if change == "removed":
            del node[key]
        else:
            node[key] = rng.choice(OTHER if change == "type" else BEYOND)
        return json.dumps(document).encode()

    return mutated


def in_csv(change: str) -> Callable[[bytes, random.Random], bytes]:
    """Return what removes a column, doubles one, or gives one cell another value."""

    def mutated(content: bytes, rng: random.Random) -> bytes:
        rows = list(csv.reader(io.StringIO(content.decode())))
        column, row = rng.randrange(len(rows[0])), rng.choice(rows[1:])
        match change:
            case "removed":
                rows = [cells[:column] + cells[column + 1 :] for cells in rows]
            case "doubled":
                rows = [[*cells, cells[column]] for cells in rows]
            case "type":
                row[column] = rng.choice(["", "x", "True", "0.5", "nan", '"', "a,b"])
            case _:
                row[column] = str(rng.choice(BEYOND))
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()

    return mutated


BYTES = {"bytes": damaged, "cut": cut}
IN_JSON = BYTES | {name: in_json(name) for name in ("removed", "doubled", "type", "beyond")}
IN_CSV = BYTES | {name: in_csv(name) for name in ("removed", "doubled", "type", "beyond")}


def network(path: Path) -> None:
    layers = convolution("a", 1, 2, 3, 4), dense("b", 32, 5), dense("c", 5, 3)
    write_network(path, Network("toy", layers, cut=1, cut_width=8))


def run(path: Path) -> None:
    write_json(path, RUN)


def table(path: Path) -> None:
    plain = RUN | {"name": "fbftl", "setting": {"method": "fbftl"}}
    write_tidy(path, tidy([RUN, plain], {"plr": 0.0}))


def ledger(path: Path) -> None:
    entered = Ledger(method="fl", store="0" * 64)
    columns = {"direction": "up", "part": "update", "sender": "client", "receiver": "server"}
    entered.add(4, seed=0, client=np.arange(4), payload_bits=320, bits=448, lost=False, **columns)
    entered.write(path)


def manifest(path: Path) -> None:
    arrays = {"x": {"shape": [2, 3], "dtype": "float32", "sha256": "0" * 64}}
    store = {"provenance": {"cut": "x"}, "arrays": arrays}
    Manifest("features.zarr", store, {"c": "1" * 64}).write(path)


def read_whole(path: Path) -> Any:
    return read_ledger(path, SCHEMA.names).to_pylist()


RESULTS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any], dict[str, Any]]] = {
    "network.json": (network, read_network, IN_JSON),
    "run.json": (run, read_run, IN_JSON),
    "table.csv": (table, read_tidy, IN_CSV),
    "ledger.parquet": (ledger, read_whole, BYTES),
    "manifest.json": (manifest, read_manifest, IN_JSON),
}
"""Of every kind of result what writes it, what reads it, and how it is mutated."""

REFUSED = {
    ("network.json", "cut"), ("network.json", "doubled"),
    ("run.json", "cut"), ("run.json", "doubled"), ("ledger.parquet", "cut"),
    ("table.csv", "doubled"),
}  # fmt: skip
"""Where a reader sees every such mutation; of others its seal may be all that does."""

SEALED_BY_ITSELF = {"manifest.json"}
"""What no change of its content passes, whoever reads it alone."""


def job(folder: Path, outputs: list[str]) -> SimpleNamespace:
    (folder / "data.bin").write_bytes(b"data")
    return SimpleNamespace(
        rule="a", wildcards={"task": "toy"},
        params={"rate": 0.5, "jobs": [{"seed": 0}, {"seed": 1}]}, input=["data.bin"],
        output=outputs,
    )  # fmt: skip


def equal(first: Any, second: Any) -> bool:
    return first.equals(second) if isinstance(first, pd.DataFrame) else bool(first == second)


@pytest.mark.parametrize("name", RESULTS)
def test_a_mutated_result(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write, read, changes = RESULTS[name]
    path = Path("results/toy", name)
    path.parent.mkdir(parents=True)
    write(path)
    toy_job = job(tmp_path, [str(path)])
    write_record(LOG, record(toy_job), toy_job.output)
    content, sound = path.read_bytes(), read(path)
    counts: Counter[str] = Counter()
    for seed in range(EACH):
        rng = random.Random(seed)
        change = list(changes)[seed % len(changes)]
        path.write_bytes(changes[change](content, rng))
        if path.read_bytes() == content:
            counts["unchanged"] += 1
            continue
        assert broken("results") == [str(path)], seed
        try:
            content_read = read(path)
        except UserError as error:
            require_sentence(error)
            counts["refused" if name in str(error) else "refused without its name"] += 1
            continue
        if equal(content_read, sound):
            counts["equal"] += 1
            continue
        assert (name, change) not in REFUSED, (seed, change)
        assert name not in SEALED_BY_ITSELF, (seed, change)
        counts["seal alone"] += 1
    print(f"\n{name}: {dict(counts)}")
    assert counts["refused"] > 0
    assert not counts["refused without its name"]


@pytest.mark.parametrize("digest", [["a"], None, 1, {}])
def test_a_record_whose_digest_is_no_text_is_none(digest: Any) -> None:
    sound = asdict(JobRecord("a", {}, {}, {}, {"a.csv": "0"}))
    assert record_in(json.dumps(sound).encode()) == sound
    assert record_in(json.dumps(sound | {"outputs": {"a.csv": digest}}).encode()) is None


def test_a_mutated_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that says something else of the same job and results is none, or is noticed.

    What names another job or other results is theirs, which is for the plan to tell.
    """
    monkeypatch.chdir(tmp_path)
    output = Path("results/toy/a.csv")
    output.parent.mkdir(parents=True)
    output.write_text("a\n1\n")
    toy_job = job(tmp_path, [str(output)])
    recorded = record(toy_job)
    write_record(LOG, recorded, toy_job.output)
    path = record_of_log(LOG)
    content, sound = path.read_bytes(), read_record(path)
    for seed in range(EACH):
        rng = random.Random(seed)
        change = list(IN_JSON)[seed % len(IN_JSON)]
        path.write_bytes(IN_JSON[change](content, rng))
        mutated = read_record(path)
        if mutated is None or mutated == sound:
            continue
        noticed = (
            (mutated.rule, mutated.wildcards) != (sound.rule, sound.wildcards)
            or changed_param(mutated, recorded["params"])
            or changed_inputs(mutated, toy_job.input, sha256)
            or broken("results")
            or mutated.outputs.keys() != sound.outputs.keys()
            or mutated.stores != sound.stores
        )
        assert noticed, seed
