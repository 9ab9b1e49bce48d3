"""FADE on a table of people in a few rounds: its jobs and runs."""

from pathlib import Path
from typing import Any

import torch
from fbftl.methods.by_name import train
from fbftl.methods.fade.groups import grouped_clients
from fbftl.methods.fade.rounds import Debiasing, debiasing
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs
from unit.training.tasks.toy_vectors import CLIENTS

NETWORK = {"kind": "mlp", "fc": [8, 4], "norm": "none", "dropout": 0.0, "cut": "relu_fc2"}
NETWORK |= {"last": "relu", "init": "he"}
GAME = {"discriminator": [6], "clip": 1.0, "server_momentum": 0.5, "falling_rate": False}
GAME |= {"warm_up": 0.0, "labelled": None, "points": 2}
TRAINING = {"epochs": 1, "batch": 1, "clients_per_round": 2, "learning_rate": 0.1}
TRAINING |= {"momentum": 0.0, "weight_decay": 0.0, "validation": 0.0, "selection": "last"}
TRAINING |= {"rounds": 12, "local_batch": 16}
PLAIN = {"adversary": "plain", "majority_users": 3}


def params(setting: dict[str, Any], seeds=(0, 1), game=None, **training) -> dict[str, Any]:
    return {
        "task": "people",
        "kind": "images",
        "setting": {"method": "fade", "network": "mlp"} | setting,
        "seeds": list(seeds),
        "clients": CLIENTS,
        "training": TRAINING | training,
        "privacy": {"delta": 1e-5, "update_clip": 0.1},
        "block": {"head": [], "network": NETWORK, "adversarial_game": GAME | (game or {})},
    }


def job(setting: dict[str, Any], **training) -> Job:
    return from_params(params(setting, **training), axes_by_method())


def inputs(files: dict[str, str]) -> Inputs:
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def ready(files: dict[str, str], job_: Job) -> Debiasing:
    return debiasing([job_], grouped_clients(job_, inputs(files)))


def trained(files: dict[str, str], setting: dict[str, Any], **training) -> Debiasing:
    training_run = ready(files, job(setting, **training))
    list(training_run.train())
    return training_run


def run(files: dict[str, str], setting: dict[str, Any], **training) -> list[dict[str, Any]]:
    (outcome,) = train([job(setting, **training)], inputs(files))
    return outcome.repetitions
