"""FedAvg's rounds of which the server sees the sum of the weights alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.methods.fedavg.run import run
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.tasks.task import Inputs
from unit.tasks.toy_task import CLIENTS, HEAD, TRAINING, make_task


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    files = make_task(tmp_path_factory.mktemp("task"))
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def training_job(axes: dict[str, Any], **training) -> Job:
    local = {"rounds": 2, "local_batch": 3, "clients_per_round": 5, "validation": 0.0}
    network = {"kind": "mlp", "fc": [5], "norm": "none", "dropout": 0.0, "cut": "relu_fc1"}
    return from_params(
        {
            "task": "toy", "kind": "images", "setting": {"method": "fedavg"} | axes, "seeds": [1],
            "clients": CLIENTS, "training": TRAINING | local | training, "privacy": {},
            "block": {"head": HEAD, "network": network},
        },
        axes_by_method(),
    )  # fmt: skip


def test_fedavg_by_sums_is_fedavg_to_the_last_digits(samples):
    outcomes = [
        run(training_job({"aggregation": how, "plr": 0.3}), samples) for how in ("open", "masked")
    ]
    curves = [outcome.repetitions[0]["series"]["loss"] for outcome in outcomes]
    np.testing.assert_allclose(*curves, rtol=1e-4)
    tables = [outcome.ledger.table().to_pandas() for outcome in outcomes]
    weights = [table.query("direction == 'up' and part == 'weights'") for table in tables]
    assert weights[0]["lost"].tolist() == weights[1]["lost"].tolist()
    assert weights[1]["encoded"].eq("made").all()
    assert weights[1]["sha256"].nunique() == len(weights[1]) == 10
    (repetition,) = outcomes[1].repetitions
    assert repetition["ring_bits"] == 64
