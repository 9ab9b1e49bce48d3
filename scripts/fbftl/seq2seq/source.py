"""The language task's source model: pre-trained here or loaded, and kept with a manifest.

The manifest tells everything that is needed to build model and tokenizer again, offline:

    architecture  ``from: t5`` and the fields of `T5Shape`
    tokenizer     JSON text of the `tokenizers` library
    origin        how the weights came about
    parameters    how many, each counted once
    sha256        of the weights file
    versions      of the libraries that made it
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fbftl.errors import UserError
from fbftl.files import write_json
from fbftl.randomness import torch_seed
from fbftl.seq2seq.checkpoint import load_folder, load_model, new_model
from fbftl.seq2seq.head import ALL
from fbftl.seq2seq.hub import fetch, pinned
from fbftl.seq2seq.layers import T5Shape
from fbftl.seq2seq.model import T5
from fbftl.seq2seq.records import Record
from fbftl.seq2seq.sequences import Sequences
from fbftl.seq2seq.tokenizer import Tokenizer, train_tokenizer
from fbftl.seq2seq.train import Epoch, Plan, Samples, train_head
from fbftl.weights import write_weights


@dataclass(frozen=True)
class Source:
    """A source model with its tokenizer and how it came about."""

    model: T5
    tokenizer: Tokenizer
    origin: dict[str, Any]


def prepare_source(
    spec: Mapping[str, Any],
    records: Sequence[Record],
    data_folder: str | Path,
    seed: int,
    device: torch.device | str = "cpu",
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> Source:
    """Return the source model that the config block ``source`` asks for, in eval mode.

    Args:
        spec: ``kind: pretrain`` with ``vocabulary``, ``model`` (fields of `T5Shape`), ``training``
            (fields of `Plan`) and ``longest``; or ``kind: load`` with ``folder`` and, to
            download it, ``hub``.
        records: the public split; not used by ``load``.
        data_folder: where relative folder names start.
        seed: of the pre-training, non-negative.
        device: where to pre-train.
        on_epoch: called after each epoch of pre-training.

    Raises:
        UserError: on missing or damaged files, a public split without dialogues, or a diverged
            pre-training.
    """
    match spec["kind"]:
        case "pretrain":
            return _pretrained(spec, records, seed, device, on_epoch)
        case "load":
            return _loaded(spec, Path(data_folder))
    raise UserError(f"source.kind is {spec['kind']!r}; a seq2seq task has pretrain or load")


def _pretrained(
    spec: Mapping[str, Any],
    records: Sequence[Record],
    seed: int,
    device: torch.device | str,
    on_epoch: Callable[[Epoch], None],
) -> Source:
    if not records:
        raise UserError("data.source is 0, but the source model is pre-trained on it; raise it")
    texts = [text for record in records for text in (record.dialogue, record.summary)]
    tokenizer = train_tokenizer(texts, spec["vocabulary"])
    shape = T5Shape(vocab_size=tokenizer.size, **spec["model"])
    inputs = tokenizer.encode([record.dialogue for record in records], spec["longest"])
    labels = tokenizer.encode([record.summary for record in records], spec["longest"])
    everyone = np.arange(len(records))
    samples = Samples(Sequences.of(inputs), Sequences.of(labels), everyone).to(device)
    model = new_model(shape, torch_seed(seed, "source-init")).to(device)
    plan = Plan(**spec["training"])
    trained = train_head(model, ALL, samples, everyone, plan, seed, on_epoch=on_epoch)
    if trained.diverged or trained.chosen is None:
        raise UserError("pre-training diverged; lower source.training.learning_rate")
    origin = {
        "how": "pretrain",
        "dialogues": len(records),
        "seed": seed,
        "training": dict(spec["training"]),
        "curve": [asdict(epoch) for epoch in trained.curve],
    }
    return Source(trained.model, tokenizer, origin)


def _loaded(spec: Mapping[str, Any], data_folder: Path) -> Source:
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
    return Source(model.eval(), tokenizer, origin)


def write_source(safetensors: str | Path, manifest: str | Path, source: Source) -> None:
    """Write weights and manifest; equal models give equal bytes."""
    digest = write_weights(safetensors, source.model)
    libraries = ("torch", "tokenizers", "safetensors")
    document = {
        "architecture": {"from": "t5", **asdict(source.model.shape)},
        "tokenizer": source.tokenizer.text,
        "origin": source.origin,
        "parameters": sum(parameter.numel() for parameter in source.model.parameters()),
        "sha256": digest,
        "versions": {name: version(name) for name in libraries},
    }
    write_json(manifest, document)


def load_source(safetensors: str | Path, manifest: Mapping[str, Any]) -> Source:
    """Return the source that `write_source` wrote, the model in eval mode.

    Raises:
        UserError: if the weights file is missing, damaged or not the manifest's.
    """
    architecture = {k: v for k, v in manifest["architecture"].items() if k != "from"}
    model = load_model(T5Shape(**architecture), safetensors, manifest["sha256"]).eval()
    return Source(model, Tokenizer(manifest["tokenizer"]), dict(manifest["origin"]))
