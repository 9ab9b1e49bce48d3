"""The language task's source model: pre-trained here or loaded, and kept with a manifest.

The manifest tells everything that is needed to build model and tokenizer again, offline:

    architecture  ``from: t5`` and the fields of `T5Shape`
    tokenizer     JSON text of the `tokenizers` library
    origin        how the weights came about
    parameters    how many, each counted once
    sha256        of the weights file
    versions      of the libraries that made it
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.ground.files import write_json
from fbftl.models.cost.architectures import T5Shape
from fbftl.models.source.weights import write_weights
from fbftl.models.t5.checkpoint import load_model
from fbftl.models.t5.model import T5
from fbftl.models.t5.tokenizer import Tokenizer


@dataclass(frozen=True)
class SourceT5:
    """A source model with its tokenizer and how it came about."""

    model: T5
    tokenizer: Tokenizer
    origin: dict[str, Any]


def write_source(safetensors: str | Path, manifest: str | Path, source: SourceT5) -> None:
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


def load_source(safetensors: str | Path, manifest: Mapping[str, Any]) -> SourceT5:
    """Return the source that `write_source` wrote, the model in eval mode.

    Raises:
        UserError: if the weights file is missing, damaged or not the manifest's.
    """
    architecture = {k: v for k, v in manifest["architecture"].items() if k != "from"}
    model = load_model(T5Shape(**architecture), safetensors, manifest["sha256"]).eval()
    return SourceT5(model, Tokenizer(manifest["tokenizer"]), dict(manifest["origin"]))
