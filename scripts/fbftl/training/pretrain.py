"""The source model: pre-trained by SGD under a one-cycle schedule, or with given weights."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.optim.sgd import sgd

from fbftl.data import letters
from fbftl.data.preprocess import AS_THEY_ARE, Preprocessing, measured, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, sha256
from fbftl.ground.randomness import stream, torch_seed
from fbftl.models.source import known_weights
from fbftl.models.source.files import packaged_file, vision_config
from fbftl.models.source.manifest import (
    SourceModel,
    build,
    fill,
    in_order,
    load_source,
    read_pinned_pickle,
    read_weights,
    write_source,
)

HELD_OUT_LETTERS = 2000
"""Letters rendered besides the training ones, to state the source model's accuracy."""


Labelled = tuple[np.ndarray, np.ndarray]
"""Images uint8 NHWC and their labels int64."""


@dataclass(frozen=True)
class Pretraining:
    """How long and how fast to pre-train.

    epochs: passes over the source samples.
    batch_size: samples per step; a last smaller batch is left out.
    learning_rate: the peak of the one-cycle schedule.
    weight_decay: L2 penalty on every parameter.
    seed: names the order of the samples and the dropout masks.
    """

    epochs: int = 8
    batch_size: int = 128
    learning_rate: float = 0.05
    weight_decay: float = 5e-4
    seed: int = 0


def make_source(
    safetensors: str | Path, manifest: str | Path, source: Mapping[str, Any],
    data: Mapping[str, Any], data_folder: str | Path | None, device: torch.device,
) -> None:  # fmt: skip
    """Pre-train or load the source model of a task with classes, and write it; vectors have none.

    Args:
        safetensors: where the weights go.
        manifest: where what is known of them goes, JSON.
        source: config block `source` of the task.
        data: its block `data`, of which nothing is known here: the source task is another one.
        data_folder: where the data set of a source task lies; None for letters.
        device: where to pre-train.
    """
    if source["kind"] == "pretrain":
        model = pretrain_source(source, tuple(source["image"]), data_folder, device.type)
    elif source["kind"] == "vectors":
        architecture = {"from": "vectors"}
        model = SourceModel(build(architecture), architecture, AS_THEY_ARE, dict(source), None)
    else:
        model = load_given(source)
    write_source(safetensors, manifest, model)


def pretrain_source(
    source: Mapping[str, Any],
    image: tuple[int, int, int],
    data_folder: str | Path | None,
    device: str = "cpu",
) -> SourceModel:
    """Return the source model that the config's `source` block of `kind: pretrain` asks for.

    Args:
        source: `task` (letters or a data set), `network`, `samples` and fields of `Pretraining`.
        image: height, width and channels of the target's images, at which letters are rendered.
        data_folder: where a data set lies; letters need none.
        device: where to train.

    Raises:
        UserError: if the data set cannot be read, or as `pretrain` and `networks.vgg`.
    """
    (images, labels), held_out, classes = _source_task(source, image, data_folder)
    architecture = {
        "from": "vgg",
        "image": list(images.shape[1:]),
        "classes": classes,
        **{key: value for key, value in source["network"].items() if key != "name"},
    }
    model = build(architecture, source["seed"])
    preprocessing = measured(images)
    plan = Pretraining(**{field.name: source[field.name] for field in fields(Pretraining)})
    pretrain(model, images, labels, preprocessing, plan, device)
    score = accuracy(model, *held_out, preprocessing)
    return SourceModel(model, architecture, preprocessing, dict(source), score)


def _source_task(
    source: Mapping[str, Any], image: tuple[int, int, int], data_folder: str | Path | None
) -> tuple[Labelled, Labelled, int]:
    """Return the samples that the source model learns, held-out ones, and how many classes."""
    if source["task"] == "letters":
        training = letters.render_letters(source["samples"], image, source["seed"])
        held_out = letters.render_letters(
            HELD_OUT_LETTERS, image, source["seed"], "letters held out"
        )
        return training, held_out, len(letters.ALPHABET)
    from fbftl.data.datasets import load

    dataset = load(source["task"]["data"], data_folder)
    order = stream(source["seed"], "source samples").permutation(len(dataset.train.labels))
    kept = np.sort(order[: source["samples"]])
    training = np.asarray(dataset.train.inputs[:])[kept], dataset.train.labels[kept]
    held_out = np.asarray(dataset.test.inputs[:]), dataset.test.labels
    return training, held_out, len(dataset.classes)


def pretrain(
    model: nn.Module,
    images: np.ndarray,
    labels: np.ndarray,
    preprocessing: Preprocessing,
    plan: Pretraining,
    device: str = "cpu",
) -> None:
    """Train `model` in place on images (uint8, NHWC) and labels (int64); leave it in eval mode.

    Raises:
        UserError: if there are fewer samples than one batch, or the loss stops being finite.
    """
    per_epoch = len(labels) // plan.batch_size
    if per_epoch == 0:
        raise UserError(
            f"source.samples gives {len(labels)} samples, less than one batch of "
            f"source.batch_size = {plan.batch_size}; raise the one or lower the other"
        )
    model.to(device).train()
    pixels, targets = torch.from_numpy(images).to(device), torch.from_numpy(labels).to(device)
    parameters = list(model.parameters())
    velocities: list[torch.Tensor | None] = [None] * len(parameters)
    order = stream(plan.seed, "pretrain")
    with torch.random.fork_rng():
        torch.manual_seed(int(order.integers(2**63)))
        for epoch in range(plan.epochs):
            shuffled = torch.from_numpy(order.permutation(len(labels))).to(device)
            batches = shuffled[: per_epoch * plan.batch_size].split(plan.batch_size)
            for step, batch in enumerate(batches, start=epoch * per_epoch):
                loss = F.cross_entropy(
                    model(preprocess(pixels[batch], preprocessing)), targets[batch]
                )
                gradients = torch.autograd.grad(loss, parameters)
                rate, momentum = one_cycle(step, plan.epochs * per_epoch, plan.learning_rate)
                with torch.no_grad():
                    sgd(
                        parameters, list(gradients), velocities, foreach=False, fused=False,
                        lr=rate, momentum=momentum, weight_decay=plan.weight_decay,
                        dampening=0, nesterov=True, maximize=False,
                    )  # fmt: skip
            if not torch.isfinite(loss):
                raise UserError(
                    f"pre-training diverged at source.learning_rate = {plan.learning_rate}; "
                    "lower it"
                )
    model.to("cpu").eval()


def one_cycle(step: int, steps: int, peak: float) -> tuple[float, float]:
    """Return the learning rate and the momentum of a step (Smith & Topin 2019).

    Over three tenths of the steps the rate rises from a 25th of its peak and momentum falls from
    0.95 to 0.85; then the rate falls to a 250,000th and momentum rises again, all along cosines. So
    does torch's OneCycleLR, which needs an optimiser whose class imports torch's compiler.

    Args:
        step: from 0.
        steps: of the whole training.
        peak: largest learning rate.
    """
    turn, last = 0.3 * steps - 1, steps - 1
    low, end = peak / 25, peak / 25 / 1e4
    if step <= turn:
        return _cosine(low, peak, step / turn), _cosine(0.95, 0.85, step / turn)
    share = (step - turn) / (last - turn)
    return _cosine(peak, end, share), _cosine(0.85, 0.95, share)


def _cosine(start: float, end: float, share: float) -> float:
    """Return what lies a share of the way from start to end, along a cosine."""
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def accuracy(
    model: nn.Module, images: np.ndarray, labels: np.ndarray, preprocessing: Preprocessing
) -> float:
    """Return the share of images (uint8, NHWC) that `model`, in eval mode, classifies right."""
    correct = 0
    with torch.inference_mode():
        for start in range(0, len(labels), 500):
            part = slice(start, start + 500)
            predicted = model(preprocess(images[part], preprocessing)).argmax(1).numpy()
            correct += int((predicted == labels[part]).sum())
    return correct / len(labels)


def load_given(source: Mapping[str, Any]) -> SourceModel:
    """Return the source model that the block names.

    Args:
        source: `from` (torchvision, timm, transformers, workflow), `name`, `options`, `weights`
            (published, file, package, random), and as these need them `version`, `file`,
            `manifest`, `package`, `sha256`, `seed`.

    Raises:
        UserError: if a name, file or digest is wrong, or a download fails.
    """
    if source["from"] == "workflow":
        return _workflow(source)
    if source["from"] == "transformers":
        return _transformers(source)
    architecture = {key: source[key] for key in ("from", "name", "options")}
    model = build(architecture, source["seed"])
    preprocessing = known_weights.library_preprocessing(source, model)
    path = None
    match source["from"], source["weights"]:
        case "torchvision", "published":
            weights = known_weights.torchvision_weights(source["name"], source["version"])
            path = known_weights.torchvision_file(weights, source["sha256"])
            fill(model, read_pinned_pickle(path), path)
        case "timm", "published":
            repository = model.pretrained_cfg["hf_hub_id"]
            path = known_weights.hub_file(repository, "model.safetensors", source["version"])
            check_digest(path, source["sha256"])
            model = known_weights.timm_model(source["name"], source["options"], path)
        case _, "file":
            path = source["file"]
            fill(model, read_weights(path, source["sha256"]), path)
        case _, "package":
            path = packaged_file(source)
            fill(model, in_order(model, read_pinned_pickle(path), path), path)
    origin = {**source, "sha256": path and sha256(path)}
    return SourceModel(model, architecture, preprocessing, origin, None)


def _transformers(source: Mapping[str, Any]) -> SourceModel:
    """Return a model of a folder or a repository, with its weights or with random ones."""
    name, version, digest = source["name"], source["version"], None
    path = known_weights.hub_file(name, "config.json", version)
    known_weights.fetch_processor(name, version)
    config = vision_config(path) | source["options"]
    architecture = {"from": "transformers", "name": name, "options": config}
    if source["weights"] == "random":
        model = build(architecture, source["seed"])
    else:
        weights = known_weights.hub_file(name, "model.safetensors", version)
        digest = check_digest(weights, source["sha256"])
        seed = torch_seed(source["seed"], "init")
        model = known_weights.transformers_model(path.parent, config, seed)
    preprocessing = known_weights.transformers_preprocessing(path.parent, config)
    return SourceModel(model, architecture, preprocessing, {**source, "sha256": digest}, None)


def _workflow(source: Mapping[str, Any]) -> SourceModel:
    """Return a source model that this workflow wrote, here or in another study."""
    check_digest(source["file"], source["sha256"])
    try:
        manifest = json.loads(Path(source["manifest"]).read_text(encoding="utf-8"))
        model = load_source(source["file"], manifest)
        preprocessing = Preprocessing.of(manifest["preprocessing"])
        origin = {**source, "sha256": manifest["sha256"]}
        return SourceModel(
            model, manifest["architecture"], preprocessing, origin, manifest["accuracy"]
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        raise UserError(
            f"source.manifest = {source['manifest']} is no manifest of a source model ({error}); "
            "name the .json that was written with the weights"
        ) from error
