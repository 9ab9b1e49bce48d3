"""Source models with given weights: a library's published ones, or a safetensors file.

Downloads go through the libraries' own clients and their caches. Without a network every function
says which file to put where.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl.data.preprocess import BILINEAR, INTERPOLATIONS, Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, message_of, writing
from fbftl.ground.torchvision_ops import import_torchvision
from fbftl.models.backbones import VisionBackbone, out_of_place
from fbftl.models.source.files import PROCESSOR

IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
"""What torchvision's classification models expect."""


def torchvision_weights(name: str, version: str) -> Any:
    """Return torchvision's entry of published weights.

    Raises:
        UserError: if there is no such model or version.
    """
    models = import_torchvision().models
    try:
        entries = models.get_model_weights(name)
    except ValueError as error:
        raise UserError(f"torchvision has no model source.name = {name}") from error
    if version not in entries.__members__:
        raise UserError(
            f"torchvision has no weights source.version = {version} for {name}; choose one of "
            + ", ".join(entries.__members__)
        )
    return entries[version]


def torchvision_file(weights: Any, digest: str | None) -> Path:
    """Return the path of the file of published weights, downloaded if need be.

    The name of the file carries the first eight hex digits of its digest; they are checked, and
    all 64 if `digest` gives them. The file is torchvision's own, never one that a user names.

    Raises:
        UserError: if the file is neither cached nor to be had, or has another digest.
    """
    path = Path(torch.hub.get_dir(), "checkpoints", Path(weights.url).name)
    start = path.stem.rpartition("-")[2]
    if not path.is_file():
        try:
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                torch.hub.download_url_to_file(weights.url, path, hash_prefix=start, progress=False)
        except (OSError, RuntimeError) as error:
            raise UserError(
                f"{weights.url} cannot be downloaded ({error}); fetch it elsewhere and put it at "
                f"{path}, or set TORCH_HOME to a folder with hub/checkpoints/{path.name}"
            ) from error
    file_digest = check_digest(path, digest)
    if not file_digest.startswith(start):
        raise UserError(f"{path} is damaged: its sha256 is {file_digest}; remove it and try again")
    return path


def torchvision_preprocessing(weights: Any) -> Preprocessing:
    """Return what the published weights were evaluated with, the whole image resized."""
    transform = weights.transforms()
    return Preprocessing(transform.crop_size[0], tuple(transform.mean), tuple(transform.std))


def timm_repository(name: str) -> str:
    """Return the Hugging Face repository of timm's weights for a model.

    Raises:
        UserError: if timm has none.
    """
    import_torchvision()
    import timm

    card = timm.get_pretrained_cfg(name) if timm.is_model(name) else None
    if card is None or not card.hf_hub_id:
        raise UserError(f"timm has no published weights for source.name = {name}")
    return card.hf_hub_id


def library_preprocessing(source: Mapping[str, Any], model: nn.Module) -> Preprocessing:
    """Return what a model of torchvision or timm is given, by its weights or as is usual there."""
    match source["from"], source.get("weights"):
        case "torchvision", "published":
            return torchvision_preprocessing(torchvision_weights(source["name"], source["version"]))
        case "timm", _:
            # Bilinear where timm says what is not known.
            card = model.pretrained_cfg
            named = card["interpolation"] if card["interpolation"] in INTERPOLATIONS else BILINEAR
            return Preprocessing(
                card["input_size"][-1], tuple(card["mean"]), tuple(card["std"]), named
            )
    return Preprocessing(None, **IMAGENET)


def timm_model(name: str, options: Mapping[str, Any], path: Path) -> nn.Module:
    """Return timm's model with the weights of its own safetensors file at `path`."""
    import timm

    model = timm.create_model(
        name, pretrained=True, pretrained_cfg_overlay={"file": str(path)}, **options
    )
    return out_of_place(model).eval()


def hub_file(repository: str, name: str, revision: str | None) -> Path:
    """Return the path of one file of a folder or of a Hugging Face repository.

    Raises:
        UserError: if the file of a repository is neither in the cache nor to be had.
    """
    if Path(repository).is_dir():
        return Path(repository, name)
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        with writing(constants.HF_HUB_CACHE):
            return Path(hf_hub_download(repository, name, revision=revision))
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        raise UserError(
            f"file {name} of https://huggingface.co/{repository} (revision {revision or 'main'}) "
            "cannot be fetched; fetch the repository elsewhere and put it into the Hugging Face "
            "cache, or into a folder given as source.name (transformers), or name its "
            "model.safetensors as source.file (timm)"
        ) from error


def fetch_processor(name: str, revision: str | None) -> None:
    """Have what a repository says of processing images, if it says anything, beside its config.

    Raises:
        UserError: if that cannot be found out.
    """
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        if not Path(name).is_dir():
            hub_file(name, PROCESSOR, revision)
    except UserError as error:
        there_is_none = isinstance(error.__cause__, EntryNotFoundError)
        if not there_is_none or isinstance(error.__cause__, LocalEntryNotFoundError):
            raise


def transformers_model(folder: Path, config: Mapping[str, Any], seed: int) -> VisionBackbone:
    """Return the vision model of a config with the weights that a folder has as safetensors.

    Raises:
        UserError: if it is no vision model of transformers or weights are missing.
    """
    import_torchvision()
    from transformers import AutoConfig, AutoModel

    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model, loading = AutoModel.from_pretrained(
                folder,
                config=AutoConfig.for_model(**config),
                use_safetensors=True,
                local_files_only=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
    except Exception as error:  # transformers raises errors of others' too
        raise UserError(
            f"transformers cannot load {folder}: {str(error).splitlines()[0]}"
        ) from error
    # A checkpoint of a classifier lacks the pooler, which lies behind every layer worth a cut.
    missing = [key for key in loading["missing_keys"] if not key.startswith("pooler.")]
    if missing:
        raise UserError(
            f"{folder}/model.safetensors lacks {missing[0]} and {len(missing) - 1} more"
        )
    return VisionBackbone(out_of_place(model)).eval()


def transformers_preprocessing(folder: Path, config: Mapping[str, Any]) -> Preprocessing:
    """Return what the image processor of `preprocessor_config.json` does, wholly.

    Without the file images get the size of the model's config, mean 0.5 and deviation 0.5.

    Raises:
        UserError: if transformers cannot make the processor, or it makes no images.
    """
    channels = config.get("num_channels", 3)
    path = folder / PROCESSOR
    if not path.is_file():
        return Preprocessing(config.get("image_size"), (0.5,) * channels, (0.5,) * channels)
    import_torchvision()
    from transformers import AutoImageProcessor

    try:
        processor = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
        document = json.loads(json.dumps(processor.to_dict()))
        preprocessing = Preprocessing.of_processor(document, channels)
        shape = preprocess(np.zeros((1, 64, 64, channels), np.uint8), preprocessing).shape
        if len(shape) != 4 or shape[1] != channels:
            raise ValueError(f"it makes arrays of {' x '.join(map(str, shape[1:]))} of an image")
    except Exception as error:  # processors of some hundred models raise whatever they stumble over
        raise UserError(
            f"{path} is no image processor that can be used ({message_of(error)}); correct it, or "
            "remove it for the config's size with mean and deviation 0.5"
        ) from error
    return preprocessing
