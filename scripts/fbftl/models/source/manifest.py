"""The source model, written with a manifest and read again, its weights safetensors only.

`pretrain` and `load` make it. The manifest tells all that is needed to build the module again:

    architecture    what `build` takes
    preprocessing   size, mean, std and interpolation that the model was trained with
    origin          how the weights came about
    accuracy        on held-out samples of the source task, or null
    parameters      how many
    sha256          of the weights file
    versions        of the libraries that made it

A pickle is opened only where its digest is pinned in the code, and then for tensors alone.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save
from torch import nn
from torch.overrides import TorchFunctionMode

from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, replacing, sha256, write_json
from fbftl.ground.randomness import torch_seed
from fbftl.models import networks
from fbftl.models.source.files import tensor_shapes


class WithoutInitialValues(TorchFunctionMode):
    """A context in which modules are built without initial values, for weights that come next.

    Drawing values for VGG-16 takes longer than reading them.
    """

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call torch's functions but those that fill a tensor in place (`torch.nn.init.*_`)."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", None) == "torch.nn.init" and func.__name__.endswith("_"):
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def write_weights(path: str | Path, model: nn.Module) -> str:
    """Write a model's parameters and buffers as safetensors, atomically; return the SHA-256.

    Tensors that share memory are written once per name. Equal weights give equal bytes.
    """
    state = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
    with replacing(path) as temporary:
        temporary.write_bytes(save({name: value.contiguous() for name, value in state.items()}))
    return sha256(path)


def read_weights(path: str | Path, digest: str | None = None) -> dict[str, torch.Tensor]:
    """Read a safetensors file.

    Args:
        path: the file.
        digest: its expected SHA-256 in hex, or None to accept any.

    Raises:
        UserError: if the file is missing, has another digest, is a pickle, or is no valid
            safetensors file (the library checks every size in the header against the file's).
    """
    check_digest(path, digest)
    tensor_shapes(path)
    return load_file(path)


def read_pinned_pickle(path: str | Path) -> dict[str, torch.Tensor]:
    """Read tensors from a pickle whose digest the caller has found to be the one that is known.

    Raises:
        UserError: if it holds anything but tensors; no code in it is run to find out.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise UserError(f"{path} holds more than tensors, or is damaged, and is refused") from error
    if not isinstance(state, Mapping) or not all(
        isinstance(value, torch.Tensor) for value in state.values()
    ):
        raise UserError(f"{path} is no table of tensors and is refused")
    return dict(state)


def in_order(
    model: nn.Module, state: Mapping[str, torch.Tensor], path: str | Path
) -> dict[str, torch.Tensor]:
    """Return tensors under a model's own names, which another library gave in the same order.

    Raises:
        UserError: if their number differs.
    """
    names = list(model.state_dict())
    if len(names) != len(state):
        raise UserError(
            f"{path} has {len(state)} tensors and the model {len(names)}; name the model that the "
            "file was saved from"
        )
    return dict(zip(names, state.values(), strict=True))


def fill(
    model: nn.Module, state: Mapping[str, torch.Tensor], path: str | Path, assign: bool = False
) -> None:
    """Load `state` into `model`; every name and shape must agree.

    Args:
        model: what is filled.
        state: values by name.
        path: where they come from, for the message.
        assign: whether the model takes these tensors for its own, not a copy.

    Raises:
        UserError: naming tensors that are missing, unexpected or of another shape.
    """
    try:
        model.load_state_dict(state, assign=assign)
    except RuntimeError as error:
        # The first line names the model's class.
        reason = str(error).splitlines()[1].strip()[:200]
        raise UserError(
            f"{path} does not fit the model ({reason}); name the model that the file was saved from"
        ) from error


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
    kind = source.architecture["from"]
    renderer = ["pillow", "matplotlib"] if source.origin.get("task") == "letters" else []
    libraries = ["torch", *renderer, *([kind] if kind not in ("vgg", "vectors") else [])]
    document = {
        "architecture": source.architecture,
        "preprocessing": source.preprocessing.document(),
        "origin": source.origin,
        "accuracy": source.accuracy,
        "parameters": sum(parameter.numel() for parameter in source.model.parameters()),
        "sha256": digest,
        "versions": {name: version(name) for name in libraries},
    }
    write_json(manifest, document)


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
