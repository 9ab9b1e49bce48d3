"""A toy task of dialogues: a tiny source model, its features at two cuts, and jobs on them."""

from pathlib import Path

import numpy as np
import torch
from fbftl.data import dialogue_records as jsonl
from fbftl.data.clients import SERVER, Client, ClientFile, write_clients
from fbftl.features.dialogues import extraction
from fbftl.features.extract import extract
from fbftl.features.store.provenance import targets_of
from fbftl.methods.by_name import train
from fbftl.models.t5.checkpoint import write_source
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.pretrain_t5 import prepare_source
from fbftl.training.tasks.task import Inputs, Outcome

TRAIN, TEST, PER_CLIENT, WIDTH, BLOCKS, VOCABULARY = 24, 6, 2, 16, 2, 300
SOURCE = {
    "kind": "pretrain",
    "vocabulary": VOCABULARY,
    "longest": 80,
    "model": {
        "d_model": WIDTH, "d_kv": 8, "d_ff": 16, "num_heads": 2,
        "num_layers": BLOCKS, "num_decoder_layers": 1,
    },
    "training": {"learning_rate": 5e-3, "batch": 16, "epochs": 1},
}  # fmt: skip
FEATURES = {"cut": 1, "further_cuts": [2], "longest": 80, "prefix": "", "dtype": "float32"}
CLIP = 2.0


def make_task(folder: Path) -> Path:
    """Write client file, source and feature stores into a folder and return it."""
    splits = jsonl.generate("target", {"train": TRAIN, "test": TEST})

    def client(name: str, split: str, rows: np.ndarray) -> Client:
        records = [splits[split][row] for row in rows]
        arrays = {
            key: [getattr(record, key) for record in records]
            for key in ("id", "dialogue", "summary")
        }
        return Client(name, rows, arrays)

    of_clients = np.arange(TRAIN).reshape(-1, PER_CLIENT)
    clients = [client(f"{u:02}", "train", rows) for u, rows in enumerate(of_clients)]
    write_clients(
        folder / "clients.h5", {"train": clients, "test": [client(SERVER, "test", np.arange(TEST))]}
    )
    source = prepare_source(SOURCE, jsonl.generate("source", {"s": 40})["s"], ".", seed=0)
    weights, manifest = folder / "source.safetensors", folder / "source.json"
    write_source(weights, manifest, source)
    stores = [str(folder / f"{cut}.zarr") for cut in (1, 2)]
    with ClientFile(folder / "clients.h5") as file:
        extracting = extraction(file, str(weights), str(manifest), FEATURES, "cpu")
        manifests = [store.replace("zarr", "json") for store in stores]
        targets = targets_of(stores, manifests, extracting.provenances, 1, "code")
        extract(extracting.samples, extracting.forward, targets, batch=8)
    return folder


def inputs_at(folder: Path, cut: int = 1) -> Inputs:
    """Return what methods read at a cut."""
    return Inputs(
        manifest=folder / f"{cut}.json",
        device=torch.device("cpu"),
        clients=folder / "clients.h5",
        weights=folder / "source.safetensors",
        source=folder / "source.json",
    )


def job(setting: dict, cut: int = 1, **training) -> Job:
    """Return a job on the dialogues with some training values changed."""
    plan = {"learning_rate": 4e-3, "batch": 4, "epochs": 2, "validation": 0.0}
    return from_params(
        {
            "task": "toy",
            "kind": "dialogues",
            "setting": {"method": "fbftl"} | setting,
            "seeds": [0],
            "clients": {
                "partition": "iid", "samples_per_client": PER_CLIENT, "clients": None, "seed": 0,
            },
            "training": plan | training,
            "privacy": {"delta": 1e-5, "feature_clip": {"norm": CLIP}},
            "block": {"cut": cut, "summary_tokens": 6},
        },
        axes_by_method(),
    )  # fmt: skip


def run(folder: Path, setting: dict, cut: int = 1, **training) -> Outcome:
    """Run a setting on the dialogues."""
    (outcome,) = train([job(setting, cut, **training)], inputs_at(folder, cut))
    return outcome
