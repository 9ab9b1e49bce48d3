"""The source model of dialogues: pre-trained on public dialogues, or loaded."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fbftl.data.dialogue_records import Record
from fbftl.data.dialogues import load
from fbftl.data.participation import held_out
from fbftl.ground.errors import UserError
from fbftl.ground.hub import fetch, pinned
from fbftl.ground.logs import log
from fbftl.ground.randomness import torch_seed
from fbftl.models.cost.architectures import T5Shape
from fbftl.models.t5.checkpoint import SourceT5, load_folder, new_model, write_source
from fbftl.models.t5.head import ALL, Sequences
from fbftl.models.t5.tokenizer import Tokenizer, train_tokenizer
from fbftl.study.job import FineTuning
from fbftl.training.t5 import CurvePoint, SequencePairs, TrainedT5, train_at_server


def make_source(
    safetensors: str | Path, manifest: str | Path, source: Mapping[str, Any],
    data: Mapping[str, Any], data_folder: str | Path | None, device: torch.device,
) -> None:  # fmt: skip
    """Pre-train or load the source model of a task of dialogues, and write it.

    Args:
        safetensors: where the weights go.
        manifest: where architecture, tokenizer and origin go, JSON.
        source: config block `source` of the task.
        data: its block `data`, for the public dialogues.
        data_folder: where relative names of files and folders start.
        device: where to pre-train.
    """
    public = load(data, data_folder)["source"] if source["kind"] == "pretrain" else []
    model = prepare_source(source, public, data_folder or ".", source["seed"], device)
    write_source(safetensors, manifest, model)


def prepare_source(
    spec: Mapping[str, Any],
    records: Sequence[Record],
    data_folder: str | Path,
    seed: int,
    device: torch.device | str = "cpu",
) -> SourceT5:
    """Return the source model that the config block ``source`` asks for, in eval mode.

    Args:
        spec: ``kind: pretrain`` with ``vocabulary``, ``model`` (fields of `T5Shape`), ``training``
            (fields of `FineTuning`) and ``longest``; or ``kind: load`` with ``folder`` and, to
            download it, ``hub``.
        records: the public split; not used by ``load``.
        data_folder: where relative folder names start.
        seed: of the pre-training, non-negative.
        device: where to pre-train.

    Raises:
        UserError: on missing or damaged files, a public split without dialogues, or a diverged
            pre-training.
    """
    if spec["kind"] == "load":
        return _loaded(spec, Path(data_folder))
    if not records:
        raise UserError("data.source is 0, but the source model is pre-trained on it; raise it")
    texts = [text for record in records for text in (record.dialogue, record.summary)]
    tokenizer = train_tokenizer(texts, spec["vocabulary"])
    shape = T5Shape(vocab_size=tokenizer.size, **spec["model"])
    inputs = tokenizer.encode([record.dialogue for record in records], spec["longest"])
    labels = tokenizer.encode([record.summary for record in records], spec["longest"])
    everyone = np.arange(len(records))
    samples = SequencePairs(Sequences.of(inputs), Sequences.of(labels), everyone).to(device)
    model = new_model(shape, torch_seed(seed, "source-init")).to(device)
    plan = FineTuning(**spec["training"])
    training, validation = held_out(everyone, plan.validation, seed)
    learner = TrainedT5(
        model, ALL, samples, list(training[:, None]), validation, plan, seed, on_epoch=_log_epoch
    )
    trained = train_at_server(learner)
    if trained.diverged or trained.chosen is None:
        raise UserError("pre-training diverged; lower source.training.learning_rate")
    origin = {
        "how": "pretrain",
        "dialogues": len(records),
        "seed": seed,
        "training": dict(spec["training"]),
        "curve": [asdict(epoch) for epoch in trained.curve],
    }
    return SourceT5(trained.best(), tokenizer, origin)


def _loaded(spec: Mapping[str, Any], data_folder: Path) -> SourceT5:
    folder = data_folder / spec["folder"]
    origin: dict[str, Any] = {"how": "load"}
    if hub := spec.get("hub"):
        wanted = pinned(hub)
        fetch(wanted, folder)
        origin |= {"repository": wanted.repository, "revision": wanted.revision}
    model, text = load_folder(folder)
    tokenizer = Tokenizer(text)
    if tokenizer.size > model.shape.vocab_size:
        raise UserError(
            f"{folder}: the tokenizer has {tokenizer.size} ids and the model embeds only "
            f"{model.shape.vocab_size}; fetch both from one checkpoint"
        )
    return SourceT5(model.eval(), tokenizer, origin)


def _log_epoch(epoch: CurvePoint) -> None:
    log.info("epoch %d, %d updates: loss %.3f", epoch.epoch, epoch.updates, epoch.training_loss)
