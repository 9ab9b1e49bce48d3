"""The frozen extractor: pixels in, features out, and which axis of them holds channels.

A convolution has channels second, a dense layer or a layer normalisation last, and what follows
keeps them until axes change places: so a map of a Swin transformer (n, h, w, c) is told from one of
a ResNet (n, c, h, w), whatever their sizes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.floats import BFLOAT16, FLOAT32
from fbftl.models.cut import extractor

INPUTS = "inputs"
"""Name of a batch's images as they enter the network, (n, channels, height, width) float32."""

Arrays = Mapping[str, np.ndarray | torch.Tensor]

Forward = Callable[[Arrays], dict[str, np.ndarray]]

Stage = Callable[[Arrays], Arrays]


class Pool(nn.Module):
    """A cut layer's output (n, ...) as rows (n, width).

    `none` takes rows only; `avg` averages over all axes but the channels, the places of a map or
    the tokens of a sequence; `flatten` keeps every value; `cls` takes a sequence's first token.

    Args:
        how: one of these.
        output: of the cut layer, made under `ChannelAxes`, whose channel axis counts; without it
            maps are (n, c, h, w) and sequences (n, tokens, c).
    """

    def __init__(self, how: str, output: torch.Tensor | None = None) -> None:
        super().__init__()
        self.how = how
        self.axis = None if output is None else channel_axis(output)

    @classmethod
    def behind(cls, network: nn.Module, how: str, example: torch.Tensor) -> Self:
        """Return the pooling of what a network on the CPU makes of inputs as in an example."""
        with torch.no_grad(), ChannelAxes():
            return cls(how, network(example.cpu()))

    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return rows (n, width).

        Raises:
            UserError: if the output's shape does not fit the pooling.
        """
        axis = channel_axis(outputs) if self.axis is None else self.axis
        match self.how, outputs.ndim:
            case _, 2:
                return outputs
            case "flatten", _:
                return outputs.flatten(1)
            case "avg", 3 | 4:
                return outputs.mean([each for each in range(1, outputs.ndim) if each != axis])
            case "cls", 3 if axis == 2:
                return outputs[:, 0]
        shape = " x ".join(map(str, outputs.shape[1:]))
        raise UserError(
            f"features.pool = {self.how} does not fit the cut layer, whose output per sample is "
            f"{shape}; use flatten or avg, or cls for a sequence of tokens"
        )


def forward_fn(
    model: nn.Module,
    cuts: Sequence[str],
    preprocessing: Preprocessing,
    image: tuple[int, int, int],
    pool: str = "none",
    device: str = "cpu",
    compute: str = FLOAT32,
) -> Forward:
    """Return the function that turns one batch of stored samples into features.

    The model is put into eval mode and nothing tracks gradients, so equal batches give equal
    features. Channels last throughout.

    Args:
        model: the source model.
        cuts: layers whose outputs are wanted, all from one pass.
        preprocessing: of the pixels, done on the device.
        image: height, width and channels of the stored images.
        pool: how an output becomes a row, see `Pool`.
        device: `cpu` or `cuda`.
        compute: how the network computes, see `fbftl.ground.floats`.

    Returns:
        A function of `{"pixels": uint8 (n, height, width, channels)}`, or of what `stage_fn` has
        made of it, that returns `{cut: float32 (n, width)}`.

    Raises:
        UserError: if a cut cannot be made, or `pool` does not fit it.
    """
    kind = torch.device(device).type
    model = model.eval()
    stage = stage_fn(device, preprocessing)
    example = stage({"pixels": np.zeros((2, *image), np.uint8)})[INPUTS]
    with torch.inference_mode():
        frozen = extractor(model, cuts, example.cpu()).eval()
    frozen.to(device)
    for weights in (*frozen.parameters(), *frozen.buffers()):
        if weights.ndim == 4:
            weights.data = weights.data.contiguous(memory_format=torch.channels_last)
    with torch.inference_mode():
        with ChannelAxes():
            outputs = frozen(example)
        rows = {cut: Pool(pool, outputs[cut]) for cut in cuts}
        for cut in cuts:
            rows[cut](outputs[cut])

    def forward(arrays: Arrays) -> dict[str, np.ndarray]:
        inputs = (arrays if INPUTS in arrays else stage(arrays))[INPUTS]
        with torch.inference_mode():
            with torch.autocast(kind, torch.bfloat16, enabled=compute == BFLOAT16):
                outputs = frozen(inputs)
            return {cut: rows[cut](outputs[cut]).float().cpu().numpy() for cut in cuts}

    return forward


def stage_fn(device: str, preprocessing: Preprocessing) -> Stage:
    """Return the function that makes network inputs of a batch while another is computed.

    It is called in the thread that reads batches. On CUDA the stored bytes travel from pinned
    memory and are preprocessed on a stream of their own.

    Args:
        device: `cpu` or `cuda`.
        preprocessing: of the pixels, done on the device.

    Returns:
        A function of `{"pixels": uint8 (n, height, width, channels), ...}` that returns the same
        with the inputs in the place of the pixels.
    """
    cuda = torch.device(device).type == "cuda"
    copies = torch.cuda.Stream(device) if cuda else None

    def stage(arrays: Arrays) -> Arrays:
        pixels = as_tensor(arrays["pixels"])
        others = {name: rows for name, rows in arrays.items() if name != "pixels"}
        with torch.inference_mode():
            if copies is None:
                return {**others, INPUTS: preprocess(pixels, preprocessing)}
            with torch.cuda.stream(copies):
                images = pixels.pin_memory().to(device, non_blocking=True)
                inputs = preprocess(images, preprocessing)
            copies.synchronize()
        return {**others, INPUTS: inputs}

    return stage


def as_tensor(pixels: np.ndarray | torch.Tensor) -> torch.Tensor:
    """Return stored pixels as a tensor; a tensor stays what it is."""
    if isinstance(pixels, torch.Tensor):
        return pixels
    return torch.from_numpy(np.ascontiguousarray(pixels))


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
