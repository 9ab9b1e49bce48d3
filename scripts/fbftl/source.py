"""The source model: built from its architecture, pre-trained or loaded, written with a manifest.

The manifest tells everything that is needed to build the same module again, offline:

    architecture    what `build` takes
    preprocessing   size, mean and std that the model was trained with
    origin          how the weights came about
    accuracy        on held-out samples of the source task, or null
    parameters      how many
    sha256          of the weights file
    versions        of the libraries that made it
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl import letters, networks
from fbftl.files import write_json
from fbftl.preprocess import Preprocessing, measured
from fbftl.pretrain import Plan, accuracy, pretrain
from fbftl.randomness import stream, torch_seed
from fbftl.weights import fill, read_weights, write_weights

HELD_OUT = 0.1
"""Share of the source samples that pre-training does not see."""


@dataclass(frozen=True)
class Source:
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
            network (see `networks.vgg`), or what `backbones.build_backbone` takes.
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
        from fbftl.backbones import build_backbone

        return build_backbone(kind, **options)


def prepare(
    source: Mapping[str, Any],
    image: tuple[int, int, int],
    data_folder: str | Path | None,
    device: str = "cpu",
) -> Source:
    """Make the source model that the config's `source` block asks for.

    Args:
        source: the block, with `kind: pretrain` or `kind: load`.
        image: height, width and channels of the target's images.
        data_folder: where data sets of a source task lie; letters need none.
        device: where to pre-train.

    Raises:
        UserError: if a file, digest, name or size in the block is wrong.
    """
    if source["kind"] == "load":
        from fbftl.backbones import load_backbone

        return load_backbone(source, image)
    return _pretrained(source, image, data_folder, device)


def _pretrained(
    source: Mapping[str, Any],
    image: tuple[int, int, int],
    data_folder: str | Path | None,
    device: str,
) -> Source:
    images, labels, classes = _source_task(source, image, data_folder)
    architecture = {
        "from": "vgg",
        "image": list(images.shape[1:]),
        "classes": classes,
        **{key: value for key, value in source["network"].items() if key != "name"},
    }
    model = build(architecture, source["seed"])
    held_out = int(len(labels) * HELD_OUT)
    preprocessing = measured(images[held_out:])
    plan = Plan(**{field.name: source[field.name] for field in fields(Plan)})
    pretrain(model, images[held_out:], labels[held_out:], preprocessing, plan, device)
    score = accuracy(model, images[:held_out], labels[:held_out], preprocessing)
    return Source(model, architecture, preprocessing, dict(source), score)


def _source_task(
    source: Mapping[str, Any], image: tuple[int, int, int], data_folder: str | Path | None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return shuffled images (uint8, NHWC), labels (int64, from 0) and the number of classes."""
    if source["task"] == "letters":
        images, labels = letters.render_letters(source["samples"], image, source["seed"])
        return images, labels, len(letters.ALPHABET)
    from fbftl.datasets import load

    samples = load(source["task"]["data"], data_folder)
    order = stream(source["seed"], "source samples").permutation(len(samples.labels))
    chosen = order[: source["samples"]]
    kept, labels = np.unique(samples.labels[chosen], return_inverse=True)
    return samples.inputs[chosen], labels.astype(np.int64), len(kept)


def write_source(safetensors: str | Path, manifest: str | Path, source: Source) -> None:
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


def _libraries(source: Source) -> list[str]:
    kind = source.architecture["from"]
    renderer = ["pillow", "matplotlib"] if source.origin.get("task") == "letters" else []
    return ["torch", *renderer, *([kind] if kind != "vgg" else [])]


def load_source(safetensors: str | Path, manifest: Mapping[str, Any]) -> nn.Module:
    """Return the source model in eval mode, with the weights that the manifest speaks of.

    Raises:
        UserError: if the weights file is missing, damaged or not the manifest's.
    """
    state = read_weights(safetensors, manifest["sha256"])
    model = build(manifest["architecture"])
    fill(model, state, safetensors)
    return model.eval()
