"""A source model with given weights, as the config's `source` block of `kind: load` asks for."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, sha256
from fbftl.ground.randomness import torch_seed
from fbftl.models.source import known_weights
from fbftl.models.source.files import vision_config
from fbftl.models.source.manifest import SourceModel, build, load_source
from fbftl.models.source.packaged import packaged_file
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
    loader = _LOADERS.get((source["from"], source["weights"]))
    if loader is None:
        offered = ", ".join(f"{library} {weights}" for library, weights in _LOADERS)
        raise UserError(
            f"source.from = {source['from']} with source.weights = {source['weights']} is not "
            f"offered; choose one of {offered}"
        )
    return loader(source)


def _torchvision_published(source: Mapping[str, Any]) -> SourceModel:
    weights = known_weights.torchvision_weights(source["name"], source["version"])
    path, digest = known_weights.torchvision_file(weights, source["sha256"])
    architecture = _architecture(source)
    model = build(architecture)
    fill(model, known_weights.torchvision_state(path), path)
    return _source(
        source, model, architecture, known_weights.torchvision_preprocessing(weights), digest
    )


def _timm_published(source: Mapping[str, Any]) -> SourceModel:
    architecture = _architecture(source)
    card = build(architecture).pretrained_cfg
    path = known_weights.hub_file(card["hf_hub_id"], "model.safetensors", source["version"])
    digest = check_digest(path, source["sha256"])
    model = known_weights.timm_model(source["name"], source["options"], path)
    return _source(source, model, architecture, known_weights.timm_preprocessing(model), digest)


def _transformers_published(source: Mapping[str, Any]) -> SourceModel:
    folder, config = _transformers_config(source)
    digest = known_weights.transformers_digest(source["name"], source["version"], source["sha256"])
    seed = torch_seed(source["seed"], "init")
    model = known_weights.transformers_model(folder, config, seed)
    architecture = {"from": "transformers", "name": source["name"], "options": config}
    preprocessing = known_weights.transformers_preprocessing(folder, config)
    return _source(source, model, architecture, preprocessing, digest)


def _from_file(source: Mapping[str, Any]) -> SourceModel:
    architecture = _architecture(source)
    model = build(architecture)
    fill(model, read_weights(source["file"], source["sha256"]), source["file"])
    return _source(
        source,
        model,
        architecture,
        known_weights.usual_preprocessing(source, model),
        sha256(source["file"]),
    )


def _packaged(source: Mapping[str, Any]) -> SourceModel:
    path = packaged_file(source)
    architecture = _architecture(source)
    model = build(architecture)
    fill(model, in_order(model, read_pinned_pickle(path), path), path)
    return _source(
        source, model, architecture, known_weights.usual_preprocessing(source, model), sha256(path)
    )


def _random(source: Mapping[str, Any]) -> SourceModel:
    architecture = _architecture(source)
    model = build(architecture, source["seed"])
    return _source(
        source, model, architecture, known_weights.usual_preprocessing(source, model), None
    )


def _transformers_random(source: Mapping[str, Any]) -> SourceModel:
    folder, config = _transformers_config(source)
    architecture = {"from": "transformers", "name": source["name"], "options": config}
    model = build(architecture, source["seed"])
    preprocessing = known_weights.transformers_preprocessing(folder, config)
    return _source(source, model, architecture, preprocessing, None)


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


_LOADERS: dict[tuple[str, str], Callable[[Mapping[str, Any]], SourceModel]] = {
    ("torchvision", "published"): _torchvision_published,
    ("torchvision", "file"): _from_file,
    ("torchvision", "random"): _random,
    ("timm", "published"): _timm_published,
    ("timm", "file"): _from_file,
    ("timm", "random"): _random,
    ("timm", "package"): _packaged,
    ("transformers", "published"): _transformers_published,
    ("transformers", "random"): _transformers_random,
    ("workflow", "file"): _workflow,
}


def _architecture(source: Mapping[str, Any]) -> dict[str, Any]:
    return {key: source[key] for key in ("from", "name", "options")}


def _transformers_config(source: Mapping[str, Any]) -> tuple[Path, dict[str, Any]]:
    """Return the folder with the model's files and its `config.json` with the block's options."""
    path = known_weights.hub_file(source["name"], "config.json", source["version"])
    known_weights.fetch_processor(source["name"], source["version"])
    return path.parent, vision_config(path) | source["options"]


def _source(
    source: Mapping[str, Any],
    model: Any,
    architecture: dict[str, Any],
    preprocessing: Preprocessing,
    digest: str | None,
) -> SourceModel:
    """Return the source with the digest of the file that its weights came from."""
    return SourceModel(model, architecture, preprocessing, {**source, "sha256": digest}, None)
