"""Training beyond memory: what is read, and that files give the curves that RAM gives."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import fbftl.ground.room as room_module
import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.room import RAM, Room
from fbftl.methods.by_name import train as train_settings
from fbftl.methods.fbftl.run import run_together
from fbftl.methods.ftl_c.run import run as run_ftl_c
from fbftl.training.samples import Pictures
from fbftl.training.tasks.task import Inputs, client_samples, offered_features
from unit.methods.method_toys import job
from unit.training.tasks import toy_dialogues
from unit.training.tasks.toy_task import train

FILES = 0
"""Bytes of RAM that send every array to a file."""


@pytest.fixture
def in_files(blobs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    """The same task with every array in a file, made a few rows at a time."""
    monkeypatch.setattr(room_module, "PART_BYTES", 1000)
    return Inputs(**{**vars(blobs), "room": Room(FILES, tmp_path)})


SETTINGS: list[dict[str, Any]] = [
    {"bits": 2, "keep": 0.3},
    {"blr": 0.3, "retransmissions": 1, "fraction": 0.4},
    {"mechanism": "relative", "sigma": 0.1, "noise_draw": "redrawn"},
]


def read_whole(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Let a kind of task read all samples, whichever are asked for."""
    task = import_module(f"fbftl.training.tasks.{kind}")
    part = task.client_features
    monkeypatch.setattr(task, "client_features", lambda job_, inputs, rows: part(job_, inputs))


@pytest.mark.parametrize("setting", SETTINGS)
def test_uploads_in_files_give_equal_curves(blobs, in_files, setting):
    (whole,), (streamed,) = (run_together([job(setting)], each) for each in (blobs, in_files))
    assert streamed.repetitions == whole.repetitions
    assert streamed.ledger.table().equals(whole.ledger.table())


@pytest.mark.parametrize("axes", [{}, {"plr": 0.5, "bits": 4}])
def test_only_rows_that_are_sent_or_measured_are_read(blobs, monkeypatch, axes):
    """What the whole store gives, without reading the whole store."""
    read: dict[str, int] = {}
    reading = FeatureStore.read

    def recording(store, split, rows=None, room=RAM):
        rows_ = reading(store, split, rows, room)
        read[split] = len(rows_)
        return rows_

    monkeypatch.setattr(FeatureStore, "read", recording)
    monkeypatch.setattr("fbftl.training.tasks.images.SAMPLED_UPLOADS", 5)
    job_ = job(axes | {"fraction": 0.1})
    (part,) = run_together([job_], blobs)
    needed = read["train"]
    read_whole(monkeypatch, "images")
    (whole,) = run_together([job_], blobs)
    assert needed < read["train"] / 2
    assert part.repetitions == whole.repetitions
    assert part.ledger.table().equals(whole.ledger.table())


@pytest.mark.parametrize("axes", [{"blr": 0.2}, {"mechanism": "relative", "sigma": 0.1}])
def test_all_rows_are_read_where_what_becomes_of_some_depends_on_all(blobs, monkeypatch, axes):
    monkeypatch.setattr("fbftl.training.tasks.images.SAMPLED_UPLOADS", 5)
    client_data, _ = offered_features([job(axes | {"fraction": 0.1})], blobs)
    assert len(client_data.rows) == len(client_data.partition.client)


@pytest.mark.parametrize("axes", [{"bits": 2}, {"mechanism": "dp_fedavg", "epsilon": 4.0}])
def test_rounds_on_rows_that_were_read_are_those_on_the_whole_store(blobs, monkeypatch, axes):
    """Private rounds draw their own clients, whose rows are those of the task too."""
    monkeypatch.setattr("fbftl.training.tasks.images.SAMPLED_UPLOADS", 5)
    job_ = job({"method": "ftl_c", "fraction": 0.1} | axes)
    part = run_ftl_c(job_, blobs)
    read_whole(monkeypatch, "images")
    whole = run_ftl_c(job_, blobs)
    assert part.repetitions == whole.repetitions
    assert part.ledger.table().equals(whole.ledger.table())


@pytest.mark.parametrize("method", ["fl", "released"])
def test_pictures_in_a_file_give_equal_curves(files, tmp_path, monkeypatch, method):
    monkeypatch.setattr(room_module, "PART_BYTES", 1000)
    (tmp_path / "scratch").mkdir()
    results = []
    for name, room in (("whole", RAM), ("streamed", Room(FILES, tmp_path / "scratch"))):
        (tmp_path / name).mkdir()
        run, ledger = train(files, tmp_path / name, method, room=room)
        results.append((json.loads(run.read_text())["repetitions"], pq.read_table(ledger)))
    assert results[0][0] == results[1][0]
    assert results[0][1].equals(results[1][1])


@pytest.mark.parametrize("size", [None, 12])
def test_pictures_are_preprocessed_alike_in_any_company(files, size):
    """Resized or not, a picture in a round of a few is what it is among all, to the last bit."""
    client_data = client_samples(job({"method": "fl"}), Inputs.at(files, torch.device("cpu")))
    samples = client_data.samples
    resized = Pictures(
        samples.pixels, samples.labels, samples.preprocessing.overridden({"size": size})
    )
    whole = resized.at(np.arange(len(samples.labels)))
    rows = np.random.default_rng(0).integers(0, len(samples.labels), (3, 5))
    torch.testing.assert_close(resized.at(rows).inputs, whole.inputs[rows], rtol=0, atol=0)
    torch.testing.assert_close(resized.at(rows).labels, whole.labels[rows])


def test_dialogues_in_a_file_give_equal_curves(dialogues, tmp_path, monkeypatch):
    setting = {"fraction": 0.5, "bits": 2, "mechanism": "gaussian", "epsilon": 4.0}
    monkeypatch.setattr(room_module, "PART_BYTES", 1000)
    whole = toy_dialogues.inputs_at(dialogues)
    streamed = Inputs(**{**vars(whole), "room": Room(FILES, tmp_path)})
    results = [train_settings([toy_dialogues.job(setting)], each)[0] for each in (whole, streamed)]
    assert results[0].repetitions == results[1].repetitions
    assert results[0].ledger.table().equals(results[1].ledger.table())


@pytest.mark.parametrize("cut", [1, 2])
def test_dialogues_that_are_neither_sent_nor_measured_are_left_unread(dialogues, monkeypatch, cut):
    monkeypatch.setattr("fbftl.training.tasks.dialogues.SAMPLED_DIALOGUES", 3)
    job_ = toy_dialogues.job({"fraction": 0.25, "plr": 0.2}, cut)
    inputs = toy_dialogues.inputs_at(dialogues, cut)
    client_data, _ = offered_features([job_], inputs)
    assert len(client_data.rows) == len(client_data.payload.sample) < toy_dialogues.TRAIN / 2
    (part,) = run_together([job_], inputs)
    read_whole(monkeypatch, "dialogues")
    (whole,) = run_together([job_], inputs)
    assert part.repetitions == whole.repetitions
    assert part.ledger.table().equals(whole.ledger.table())
