"""The source model: built from its architecture, written with a manifest, read again.

`pretrain` and `load` make it. The manifest tells all that is needed to build the module again:

    architecture    what `build` takes
    preprocessing   size, mean, std and interpolation that the model was trained with
    origin          how the weights came about
    accuracy        on held-out samples of the source task, or null
    parameters      how many
    sha256          of the weights file
    versions        of the libraries that made it
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import nn

from fbftl.data.preprocess import Preprocessing
from fbftl.ground.files import write_json
from fbftl.ground.randomness import torch_seed
from fbftl.models import networks
from fbftl.models.source.weights import WithoutInitialValues, fill, read_weights, write_weights


@dataclass(frozen=True)
class SourceModel:
    """A source model with what the manifest says about it."""

    model: nn.Module
    architecture: dict[str, Any]
    preprocessing: Preprocessing
    origin: dict[str, Any]
    accuracy: float | None


def build(architecture: Mapping[str, Any], seed: int = 0) -> nn.Module:
    """Return the module that `architecture` describes, with random weights under `seed`.

    Args:
        architecture: `{from: vgg, image, channels, fc, classes, dropout}` for the workflow's own
            network (see `networks.vgg`), `{from: vectors}` for none at all, or what
            `backbones.build_backbone` takes.
        seed: of the initial values.

    Raises:
        UserError: if the network is unknown or cannot be built with these options.
    """
    options = dict(architecture)
    kind = options.pop("from")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "init"))
        if kind == "vgg":
            return networks.vgg(**options)
        if kind == "vectors":
            return nn.Sequential(OrderedDict(columns=nn.Flatten()))
        from fbftl.models.backbones import build_backbone

        return build_backbone(kind, **options)


def write_source(safetensors: str | Path, manifest: str | Path, source: SourceModel) -> None:
    """Write weights and manifest; equal models give equal bytes on one machine."""
    digest = write_weights(safetensors, source.model)
    document = {
        "architecture": source.architecture,
        "preprocessing": source.preprocessing.document(),
        "origin": source.origin,
        "accuracy": source.accuracy,
        "parameters": sum(parameter.numel() for parameter in source.model.parameters()),
        "sha256": digest,
        "versions": {name: version(name) for name in _libraries(source)},
    }
    write_json(manifest, document)


def _libraries(source: SourceModel) -> list[str]:
    kind = source.architecture["from"]
    renderer = ["pillow", "matplotlib"] if source.origin.get("task") == "letters" else []
    return ["torch", *renderer, *([kind] if kind not in ("vgg", "vectors") else [])]


def load_source(safetensors: str | Path, manifest: Mapping[str, Any]) -> nn.Module:
    """Return the source model in eval mode, with the weights that the manifest speaks of.

    Raises:
        UserError: if the weights file is missing, damaged or not the manifest's.
    """
    state = read_weights(safetensors, manifest["sha256"])
    with WithoutInitialValues():
        model = build(manifest["architecture"])
    fill(model, state, safetensors)
    return model.eval()
