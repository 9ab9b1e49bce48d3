"""Which axis of a tensor holds its channels, as the layers say that made it.

A convolution has channels second, a dense layer or a layer normalisation last, and what follows
keeps them until axes change places: so a map of a Swin transformer (n, h, w, c) is told from one of
a ResNet (n, c, h, w), whatever their sizes.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

SECOND = ("conv1d", "conv2d", "batch_norm", "group_norm", "instance_norm")
LAST = ("linear", "layer_norm", "rms_norm", "scaled_dot_product_attention")
"""Functions of torch by where their results have channels."""

MOVING = ("permute", "transpose", "swapaxes", "movedim", "moveaxis", "flatten")
RESHAPING = ("view", "reshape", "unflatten")


class ChannelAxes(TorchFunctionMode):
    """A context in which tensors that come of layers remember their channel axis."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of torch and note where its result has channels."""
        given = kwargs or {}
        result = func(*args, **given)
        if isinstance(result, Tensor):
            axis = _axis(func, args, given, result.shape)
            if axis is not None:
                result.channel_axis = axis  # type: ignore[attr-defined]  # tensors take any name
        return result


def channel_axis(values: Tensor) -> int:
    """Return the channel axis of a tensor (n, ...) that was made under `ChannelAxes`.

    Where no layer tells, it is the second in a map (n, c, h, w) and the last in tokens (n, t, c).
    """
    return getattr(values, "channel_axis", 2 if values.ndim == 3 else 1)


def _axis(func: Callable, args: tuple, given: dict[str, Any], shape: torch.Size) -> int | None:
    name = getattr(func, "__name__", "")
    if name in SECOND or name in LAST:
        return 1 if name in SECOND else len(shape) - 1
    first = args[0] if args else None
    sources = first if isinstance(first, list | tuple) else [*args, *given.values()]
    known = [each for each in sources if hasattr(each, "channel_axis")]
    if not known:
        return None
    source = max(known, key=lambda each: each.ndim)
    axis: int = source.channel_axis
    if name in MOVING:
        # The channels of a marked tensor, two where all other axes have one, go the same way.
        mark = torch.empty([1 + (place == axis) for place in range(source.ndim)], device="meta")
        moved = func(*(mark if each is source else each for each in args), **given).shape
        return moved.index(2) if 2 in moved else None
    if name in RESHAPING or source.ndim != len(shape):
        from_end = axis - source.ndim
        kept = [place for place in (axis, len(shape) + from_end) if 0 < place < len(shape)]
        return next((place for place in kept if shape[place] == source.shape[axis]), None)
    return axis
