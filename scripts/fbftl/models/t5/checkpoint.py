"""T5 checkpoints and the language task's source model, kept as safetensors. Never pickle.

The source model is pre-trained here or loaded. Its manifest tells everything that is needed to
build model and tokenizer again, offline:

    architecture  ``from: t5`` and the fields of `T5Shape`
    tokenizer     JSON text of the `tokenizers` library
    origin        how the weights came about
    parameters    how many, each counted once
    sha256        of the weights file
    versions      of the libraries that made it
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json
from fbftl.models.cost.architectures import T5Shape
from fbftl.models.source.files import read_config
from fbftl.models.source.manifest import fill, read_weights, write_weights
from fbftl.models.t5.model import T5, Attention, FeedForward
from fbftl.models.t5.tokenizer import Tokenizer

FEED_FORWARDS = ("relu", "gated-gelu")
EMBEDDING_COPIES = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")


def new_model(shape: T5Shape, seed: int) -> T5:
    """Return a T5 with T5's random initialisation (lm_head at std d_model^-1/2)."""
    model = T5(shape)
    generator = torch.Generator().manual_seed(seed)

    def draw(weight: Tensor, std: float) -> None:
        nn.init.normal_(weight, std=std, generator=generator)

    with torch.no_grad():
        draw(model.shared.weight, 1.0)
        draw(model.lm_head.weight, shape.d_model**-0.5)
        for module in model.modules():
            if isinstance(module, Attention):
                draw(module.q.weight, (shape.d_model * shape.d_kv) ** -0.5)
                draw(module.k.weight, shape.d_model**-0.5)
                draw(module.v.weight, shape.d_model**-0.5)
                draw(module.o.weight, (shape.num_heads * shape.d_kv) ** -0.5)
                if hasattr(module, "relative_attention_bias"):
                    draw(module.relative_attention_bias.weight, shape.d_model**-0.5)
            elif isinstance(module, FeedForward):
                for name, weight in module.named_parameters():
                    draw(weight, (shape.d_ff if name == "wo.weight" else shape.d_model) ** -0.5)
    return model


def shape_from_config(config: Mapping[str, Any], where: str) -> T5Shape:
    """Return the shape that a Hugging Face ``config.json`` describes.

    Raises:
        UserError: if it is no T5, lacks a size, or has a feed-forward layer that T5 has not.
    """
    if config.get("model_type") != "t5":
        raise UserError(f"{where}: model_type is {config.get('model_type')!r}; only t5 is known")
    sizes = ("vocab_size", "d_model", "d_kv", "d_ff", "num_heads", "num_layers")
    missing = [name for name in sizes if not isinstance(config.get(name), int)]
    if missing:
        raise UserError(f"{where}: {', '.join(missing)} missing; fetch the file again")
    forward = config.get("feed_forward_proj", "relu")
    if forward not in FEED_FORWARDS:
        raise UserError(f"{where}: feed_forward_proj {forward!r}; T5 has one of {FEED_FORWARDS}")
    names = {field.name for field in dataclasses.fields(T5Shape)} & config.keys()
    settings = {name: config[name] for name in names if config[name] is not None}
    defaults = {"num_decoder_layers": config["num_layers"], "feed_forward_proj": forward}
    # Releases 5 and later write tie_word_embeddings = true for every T5 and keep what the
    # checkpoint said as scale_decoder_outputs.
    tied = config.get("scale_decoder_outputs", config.get("tie_word_embeddings", True))
    return T5Shape(**defaults | settings | {"scale_outputs": bool(tied)})


def load_folder(folder: str | Path) -> tuple[T5, str]:
    """Load a Hugging Face T5 folder.

    Returns:
        The model, and the JSON text of its tokenizer.

    Raises:
        UserError: if one of config.json, model.safetensors, tokenizer.json is missing or damaged.
    """
    folder = Path(folder)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        if not (folder / name).is_file():
            raise UserError(
                f"{folder / name} is missing; place config.json, model.safetensors and "
                "tokenizer.json of a T5 checkpoint there (weights as .bin are pickle and refused)"
            )
    config = folder / "config.json"
    shape = shape_from_config(read_config(config), str(config))
    model = load_model(shape, folder / "model.safetensors")
    return model, (folder / "tokenizer.json").read_text(encoding="utf-8")


def load_model(shape: T5Shape, path: str | Path, digest: str | None = None) -> T5:
    """Load a T5 from safetensors with Hugging Face names.

    A checkpoint without ``lm_head`` ties it to the embedding: it becomes a copy of its own.

    Raises:
        UserError: if the file is missing, damaged or another than `digest` (SHA-256, if given)
            says, or if its tensors do not fit the shape.
    """
    tensors = read_weights(path, digest)
    shared = tensors.get("shared.weight")
    for name in EMBEDDING_COPIES:
        copy = tensors.pop(name, shared)
        if shared is not None and not torch.equal(copy, shared):
            raise UserError(f"{path}: {name} differs from shared.weight; T5 shares them")
    if shared is not None:
        tensors.setdefault("lm_head.weight", shared.clone())
    with torch.device("meta"):
        model = T5(shape)
    fill(model, {n: t.to(torch.float32) for n, t in tensors.items()}, path, assign=True)
    return model


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
