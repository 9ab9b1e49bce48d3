"""A source model with given weights, as the config's `source` block of `kind: load` asks for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, sha256
from fbftl.ground.randomness import torch_seed
from fbftl.models.source import known_weights
from fbftl.models.source.files import packaged_file, vision_config
from fbftl.models.source.manifest import SourceModel, build, load_source
from fbftl.models.source.weights import fill, in_order, read_pinned_pickle, read_weights


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
        digest = known_weights.transformers_digest(name, version, source["sha256"])
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
