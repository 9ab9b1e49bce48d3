"""Weights on disk: safetensors only, digests checked, one sentence for every way a file is wrong.

Nothing here unpickles a file that a user names.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn
from torch.overrides import TorchFunctionMode

from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, replacing, sha256

_PICKLE_STARTS = (b"PK\x03\x04", b"\x80")
"""First bytes of torch's zip archives and of plain pickles."""


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
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        with open(path, "rb") as file:
            start = file.read(4)
        if start.startswith(_PICKLE_STARTS):
            raise UserError(
                f"{path} is a pickle, which can run code when it is loaded; save the weights as "
                "safetensors (safetensors.torch.save_file) and name that file"
            ) from error
        raise UserError(f"{path} is no valid safetensors file ({error}); save it again") from error


def fill(model: nn.Module, state: Mapping[str, torch.Tensor], path: str | Path) -> None:
    """Load `state` into `model`; every name and shape must agree.

    Raises:
        UserError: naming the first tensors that are missing, unexpected or of another shape.
    """
    own = model.state_dict()
    complaints = {
        "lacks": sorted(own.keys() - state.keys()),
        "has unexpected": sorted(state.keys() - own.keys()),
        "has other shapes for": sorted(
            name for name in own.keys() & state.keys() if own[name].shape != state[name].shape
        ),
    }
    found = [f"{what} {_some(names)}" for what, names in complaints.items() if names]
    if found:
        raise UserError(
            f"{path} does not fit the model: it {' and '.join(found)}; name the model that the "
            "file was saved from"
        )
    model.load_state_dict(state)


def _some(names: list[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
