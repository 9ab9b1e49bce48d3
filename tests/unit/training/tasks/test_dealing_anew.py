"""A task's samples dealt anew: by setting, by seed, inside domains, and without their groups."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.data.clients import ClientFile
from fbftl.features.store.reader import open_store
from fbftl.findings.runs import tidy
from unit.training.tasks.toy_task import CLIENTS, make_task, train

IN_DOMAINS = CLIENTS | {"domains": ["plain", "inverted"], "groups": [0, 1]}
METHODS = ["fbftl", "ftl_c", "ftl_f", "fl", "sfl", "released"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A task with two domains and groups."""
    return make_task(tmp_path_factory.mktemp("task"), IN_DOMAINS)


def job_clients(clients: dict, draw: str) -> dict:
    """Return the block `clients` as a job is told it."""
    return {key: value for key, value in clients.items() if key != "groups"} | {"draw": draw}


def uploads(files: dict[str, str], folder: Path, draw: str, **axes: object) -> pd.DataFrame:
    """Return what FbFTL's clients upload, by seed and sample."""
    _, ledger = train(
        files, folder, "fbftl", clients=job_clients(IN_DOMAINS, draw), axes=axes, epochs=1
    )
    sent = pd.read_parquet(ledger)
    return sent[sent["direction"] == "up"].sort_values(["seed", "sample"])


def test_features_know_their_domain_and_no_group(files):
    store = open_store(files["manifest"])
    with ClientFile(files["clients"]) as file:
        for split in ("train", "test"):
            features = store.read(split)
            np.testing.assert_array_equal(features.domain, file.domains(split))
            np.testing.assert_array_equal(file.groups(split), file.domains(split))
            few = store.read(split, np.array([7, 2]))
            np.testing.assert_array_equal(few.domain, features.domain[[7, 2]])
    assert {name.split("/")[1] for name in store.arrays} == {
        "features", "labels", "client", "sample", "domain"
    }  # fmt: skip
    assert "group" not in json.dumps(store.document)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_s_clients_are_the_setting_s(files, tmp_path, method):
    axes = {"partition": "shards", "clients": 6, "fraction": 0.5}
    clients = job_clients(IN_DOMAINS, "per_seed") | {"shards_per_client": 2}
    run, ledger = train(files, tmp_path, method, clients=clients, axes=axes, epochs=1)
    document = json.loads(run.read_text())
    assert tidy([document], axes)["clients"].eq(6).all()  # though a repetition counts those it had
    repetitions = document["repetitions"]
    assert all(repetition["offered"] < 124 for repetition in repetitions)
    sent = pd.read_parquet(ledger)
    if method != "released":  # the public script's method sends no messages
        assert {repetition["clients"] for repetition in repetitions} == {3}
        up = sent[sent["direction"] == "up"]
        assert up["client"].between(0, 5).all()
        assert up["client"].nunique() > 1
    assert "group" not in run.read_text()
    assert not any("group" in name for name in sent)


def test_the_task_s_own_clients_upload_what_they_hold(files, tmp_path):
    train_split = open_store(files["manifest"]).read("train")
    client_of = dict(zip(train_split.sample, train_split.client, strict=True))
    for _, sent in uploads(files, tmp_path, "once").groupby("seed"):
        assert dict(zip(sent["sample"], sent["client"], strict=True)) == client_of


def test_partitions_differ_by_seed_only_where_they_are_drawn_per_seed(files, tmp_path):
    domains = open_store(files["manifest"]).read("train")
    shown = dict(zip(domains.sample, domains.domain, strict=True))
    for draw, axes in (("once", {"clients": 8}), ("per_seed", {"clients": 8}), ("per_seed", {})):
        by_seed = dict(list(uploads(files, tmp_path, draw, **axes).groupby("seed")))
        first, second = by_seed[0], by_seed[1]
        assert (first["sample"].to_numpy() == second["sample"].to_numpy()).all()
        assert (first["client"].to_numpy() == second["client"].to_numpy()).all() == (draw == "once")
        for sent in (first, second):
            seen = sent["sample"].map(shown).groupby(sent["client"]).nunique()
            assert (seen == 1).all()
            assert len(seen) == axes.get("clients", 16)
