"""Every stage that computes runs on every device there is, and sends the same messages there."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fbftl.methods import MODULES
from fbftl.preprocess import Preprocessing
from fbftl.pretrain import pretrain_source
from fbftl.seq2seq.train import train_head
from seq2seq_examples import model
from test_pretrain import IMAGE, SOURCE
from test_seq2seq_train import EVERYONE, PLAN, uploads
from toy_task import make_task, train

COUNTED = ["seed", "direction", "round", "client", "bits", "lost"]
"""Columns of a ledger that no device may change."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_task(tmp_path_factory.mktemp("task"))


@pytest.mark.parametrize("method", MODULES)
def test_methods(files: dict[str, str], tmp_path: Path, method: str, device: str) -> None:
    (tmp_path / "here").mkdir()
    run, ledger = train(files, tmp_path / "here", method, device)
    _, on_cpu = train(files, tmp_path, method, "cpu")
    assert pq.read_table(ledger, columns=COUNTED).equals(pq.read_table(on_cpu, columns=COUNTED))
    assert not any(found["diverged"] for found in json.loads(run.read_text())["repetitions"])


def test_pretraining(device: str) -> None:
    made = pretrain_source({**SOURCE, "samples": 200, "epochs": 1}, IMAGE, None, device)
    assert isinstance(made.preprocessing, Preprocessing)
    assert next(made.model.parameters()).device.type == "cpu"


def test_summaries(device: str) -> None:
    trained = train_head(model().to(device), 1, uploads(1).to(device), EVERYONE, PLAN, seed=0)
    assert not trained.diverged
