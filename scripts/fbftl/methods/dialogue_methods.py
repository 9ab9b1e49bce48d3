"""FbFTL, FTL_c and FTL_f on the language task: one setting, all its seeds.

FbFTL and FTL_c start from the cached features, FTL_f from the token ids beside them. What the two
gradient methods' server steps with is the mean over a round's samples, which `train` forms at once;
the messages that it stands for are in the ledger.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from fbftl.data.clients import ClientFile
from fbftl.data.dialogues.records import Record
from fbftl.exchange.dialogues import Exchange, Rounds, Uploads
from fbftl.features.store.opening import open_store
from fbftl.ground.logs import log
from fbftl.messages.ledger import Ledger
from fbftl.models.t5.head import first_trained_block
from fbftl.models.t5.source import load_source
from fbftl.tasks.dialogue_job import Job
from fbftl.tasks.dialogues import Evaluation, record, run_seeds, samples_of
from fbftl.training.t5 import Epoch


@dataclass(frozen=True)
class Inputs:
    """The files that a job reads, and the device it computes on.

    Attributes:
        manifest: of the feature store at the job's cut.
        clients: the client file, for the reference summaries.
        weights: the source model's weights.
        source: the source model's manifest.
    """

    manifest: Path
    clients: Path
    weights: Path
    source: Path
    device: torch.device


@dataclass(frozen=True)
class Outcome:
    """What a run found.

    Attributes:
        repetitions: one entry per seed, in builtin types.
        ledger: every message that was sent.
        provenance: digests of what the run was trained on.
        records: the test set.
        predictions: seed to generated summaries of `records`.
    """

    repetitions: list[dict[str, Any]]
    ledger: Ledger
    provenance: dict[str, Any]
    records: list[Record]
    predictions: dict[int, list[str]]


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train and score one head per seed."""
    described = json.loads(inputs.source.read_text(encoding="utf-8"))
    source = load_source(inputs.weights, described)
    store = open_store(inputs.manifest)
    train, test = store.read("train"), samples_of(store.read("test"), job.cut)
    records = references_of(inputs.clients)
    shape, samples = source.model.shape, samples_of(train, job.cut)
    exchange: Exchange = (
        Uploads(job, train, shape) if job.setting.method == "fbftl" else Rounds(job, samples, shape)
    )
    runs = run_seeds(
        source,
        job.cut,
        samples,
        {seed: exchange.received(seed) for seed in job.seeds},
        Evaluation(test.inputs, [record.summary for record in records], job.summary_tokens),
        job.plan,
        job.selection,
        inputs.device,
        _log_epoch,
    )
    ledger = Ledger(method=job.setting.method, store=store.digest)
    trained_encoders = shape.num_layers - first_trained_block(shape, job.cut)
    repetitions = [
        record(one) | {"trained_encoders": trained_encoders} | exchange.enter(ledger, one)
        for one in runs
    ]
    return Outcome(
        repetitions,
        ledger,
        {"features": store.digest, "source": described["sha256"]},
        records,
        {one.seed: one.predictions for one in runs},
    )


def references_of(clients: Path) -> list[Record]:
    """Return the test set in the order of the feature store's rows."""
    with ClientFile(clients) as file:
        columns = [file.column("test", name) for name in ("id", "dialogue", "summary")]
    return [Record(*row) for row in zip(*columns, strict=True)]


def _log_epoch(seed: int, epoch: Epoch) -> None:
    held = "none" if epoch.validation_loss is None else f"{epoch.validation_loss:.3f}"
    log.info(
        "seed %d, epoch %d, %d updates: loss %.3f, validation loss %s",
        *(seed, epoch.epoch, epoch.updates, epoch.training_loss, held),
    )
