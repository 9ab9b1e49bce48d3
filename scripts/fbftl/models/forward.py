"""Run the frozen extractor: pixels in, features out; what the feature store calls per batch."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

import numpy as np
import torch
from torch import nn

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.cut.extractor import extractor

POOLINGS = ("none", "avg", "flatten", "cls")
"""How a cut layer's output becomes a row, see `Pool`."""

Arrays = Mapping[str, np.ndarray | torch.Tensor]

Forward = Callable[[Arrays], dict[str, np.ndarray]]

Stage = Callable[[Arrays], Arrays]


class Pool(nn.Module):
    """A cut layer's output (n, ...) as rows (n, width).

    `none` takes rows only; `avg` averages over the places of a map (n, c, h, w) or the tokens of
    a sequence (n, tokens, c); `flatten` keeps every value; `cls` takes a sequence's first token.
    """

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return rows (n, width).

        Raises:
            UserError: if the output's shape does not fit the pooling.
        """
        match self.how, outputs.ndim:
            case _, 2:
                return outputs
            case "flatten", _:
                return outputs.flatten(1)
            case "avg", 3:
                return outputs.mean(1)
            case "avg", 4:
                return outputs.mean((2, 3))
            case "cls", 3:
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
) -> Forward:
    """Return the function that turns one batch of stored samples into features.

    The model is put into eval mode and nothing tracks gradients, so equal batches give equal
    features. Channels last throughout. On a CPU it computes in float32; on CUDA under bfloat16
    autocast.

    Args:
        model: the source model.
        cuts: layers whose outputs are wanted, all from one pass.
        preprocessing: of the pixels, done on the device.
        image: height, width and channels of the stored images.
        pool: how an output becomes a row, see `Pool`.
        device: `cpu` or `cuda`.

    Returns:
        A function of `{"pixels": uint8 (n, height, width, channels)}`, as they are stored or as
        `stage_fn` has moved them, that returns `{cut: float32 (n, width)}`.

    Raises:
        UserError: if a cut cannot be made or `pool` does not fit it.
    """
    model = model.eval()
    example = preprocess(np.zeros((2, *image), np.uint8), preprocessing)
    with torch.inference_mode():
        frozen = extractor(model, cuts, example).eval()
    rows = Pool(pool)
    cuda = torch.device(device).type == "cuda"
    frozen.to(device, memory_format=torch.channels_last)
    precision = torch.autocast("cuda", torch.bfloat16) if cuda else nullcontext()

    def forward(arrays: Arrays) -> dict[str, np.ndarray]:
        pixels = as_tensor(arrays["pixels"]).to(device)
        with torch.inference_mode(), precision:
            outputs = frozen(preprocess(pixels, preprocessing))
        return {cut: rows(outputs[cut]).float().cpu().numpy() for cut in cuts}

    forward({"pixels": np.zeros((1, *image), np.uint8)})
    return forward


def stage_fn(device: str) -> Stage:
    """Return the function that moves a batch's pixels to the device while another is computed.

    It is called in the thread that reads batches. On CUDA the stored bytes travel from pinned
    memory on a stream of their own; on a CPU there is nothing to move.

    Args:
        device: `cpu` or `cuda`.
    """
    if torch.device(device).type != "cuda":
        return dict
    copies = torch.cuda.Stream(device)

    def stage(arrays: Arrays) -> Arrays:
        with torch.cuda.stream(copies):
            pixels = as_tensor(arrays["pixels"]).pin_memory().to(device, non_blocking=True)
        copies.synchronize()
        return {**arrays, "pixels": pixels}

    return stage


def as_tensor(pixels: np.ndarray | torch.Tensor) -> torch.Tensor:
    """Return stored pixels as a tensor; a tensor stays what it is."""
    if isinstance(pixels, torch.Tensor):
        return pixels
    return torch.from_numpy(np.ascontiguousarray(pixels))
