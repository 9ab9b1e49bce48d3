"""Every stage that computes runs on every device there is, and sends the same messages there."""

import json

import pyarrow.parquet as pq
import pytest
import torch
from fbftl.study.methods import names
from fbftl.training.pretrain import pretrain_source
from unit.models.t5_toys import model, trained
from unit.training.tasks.toy_task import train
from unit.training.test_pretrain import IMAGE, SOURCE
from unit.training.test_t5 import EVERYONE, PLAN, uploads

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

COUNTED = ["seed", "direction", "round", "client", "bits", "lost"]
"""Columns of a ledger that no device may change."""


LOCAL = {"rounds": 2, "local_batch": 4}
"""Training values of methods whose clients train for epochs of their own."""


WANT_MORE = {"fedvote", "fedhealth", "fedmd", "private_gd", "fade", "ecos"}
WANT_MORE |= {"splitmix", "heterofl", "sheterofl"}
"""Methods that want more of a task than the toy has: sources, open or sold rows, groups, widths."""


@pytest.mark.parametrize("method", [name for name in names() if name not in WANT_MORE])
def test_methods(files, tmp_path, method, device):
    (tmp_path / "here").mkdir()
    training = LOCAL if method in names(sends="local") else {}
    run, ledger = train(files, tmp_path / "here", method, device, **training)
    _, on_cpu = train(files, tmp_path, method, "cpu", **training)
    assert pq.read_table(ledger, columns=COUNTED).equals(pq.read_table(on_cpu, columns=COUNTED))
    assert not any(
        repetition["diverged"] for repetition in json.loads(run.read_text())["repetitions"]
    )


def test_pretraining(device):
    short = {**SOURCE, "samples": 200, "epochs": 1}
    on_device, on_cpu = (pretrain_source(short, IMAGE, None, where) for where in (device, "cpu"))
    for ours, wanted in zip(on_device.model.parameters(), on_cpu.model.parameters(), strict=True):
        torch.testing.assert_close(ours, wanted, atol=1e-3, rtol=1e-3)


def test_summaries(device):
    on_device, on_cpu = (
        trained(model().to(where), 1, uploads(1).to(where), EVERYONE, PLAN)
        for where in (device, "cpu")
    )
    losses, expected = (
        [epoch.training_loss for epoch in fitted.curve] for fitted in (on_device, on_cpu)
    )
    assert losses == pytest.approx(expected, rel=1e-2)
