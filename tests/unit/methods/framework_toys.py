"""The survey's frameworks on a toy task: its files, jobs, and what a run has sent."""

from pathlib import Path
from typing import Any

import pandas as pd
import prepare_open
import torch
import train_sources
from fbftl.exchange.personal import Cohort, gathered
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs, Outcome, client_samples
from unit.training.tasks.toy_task import HEAD, TRAINING, make_task, params

CLIENTS = {"partition": "iid", "samples_per_client": None, "clients": 4, "seed": 0}
CLIENTS |= {"shards_per_client": 2}
MLP = {"kind": "mlp", "fc": [6], "norm": "none", "dropout": 0.0, "cut": "relu_fc1"}
WIDER = MLP | {"fc": [9]}
TWO = {"architectures": [MLP, WIDER]}
LOCAL = TRAINING | {"rounds": 3, "local_batch": 8, "clients_per_round": 4, "validation": 0.0}
LOCAL |= {"selection": "last", "momentum": 0.0, "learning_rate": 0.1}
OPEN = {"letters": 40, "seed": 0}
OPEN |= {"target": {"kind": "digits", "test_fraction": 0.2, "portion": [0.5, 0.6], "seed": 0,
                    "classes": None, "limit": None}}  # fmt: skip
MODELS = {"digits": "target", "letters": "letters", "noise": "random", "wrong": "shuffled"}
SOURCES = {"models": MODELS, "network": MLP, "epochs": 20, "batch": 8, "learning_rate": 0.1}
BLOCK = {"head": HEAD, "network": MLP, "source_models": MODELS}


def make_inputs(folder: Path) -> Inputs:
    """Write the task's files, open data and source models among them."""
    files = make_task(folder, CLIENTS) | {
        "open_data": str(folder / "open.h5"),
        "source_models": str(folder / "sources.safetensors"),
    }
    prepare_open.main(files["clients"], files["open_data"], OPEN, None)
    train_sources.main(
        files["open_data"],
        files["manifest"],
        files["source_models"],
        SOURCES | {"seed": 0},
        "cpu",
        1,
    )
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def params_of(method: str, block: dict | None = None, **axes: Any) -> dict[str, Any]:
    """Return what the note of a batch says of a setting."""
    setting = {"method": method} | axes
    return params(setting, None, (0,), CLIENTS, {}, **LOCAL) | {"block": BLOCK | (block or {})}


def job_of(method: str, block: dict | None = None, **axes: Any) -> Job:
    """Return the job of a setting."""
    return from_params(params_of(method, block, **axes), axes_by_method())


def cohort_of(inputs: Inputs, method: str, block: dict | None = None, **axes: Any) -> Cohort:
    """Return the clients of a setting, each with a network of its own, before they train."""
    job = job_of(method, block, **axes)
    return gathered(job, client_samples(job, inputs), 0, Ledger(method=method))


def sent(outcome: Outcome, **where: Any) -> pd.DataFrame:
    """Return the rows of a run's ledger with these values."""
    rows = outcome.ledger.table().to_pandas()
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows


def curve(outcome: Outcome) -> list[float]:
    """Return the accuracy after each round of the first seed."""
    return outcome.repetitions[0]["series"]["test_accuracy"]
