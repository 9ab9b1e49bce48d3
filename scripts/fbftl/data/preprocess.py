"""From stored pixels to a network's input: scale, channels, size, normalisation.

Vectors are taken as they are: their columns were scaled when the data set was read.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from PIL.Image import Resampling

from fbftl.ground.errors import UserError

BILINEAR = "bilinear"

INTERPOLATIONS = {
    BILINEAR: {"mode": "bilinear", "antialias": True},
    "bicubic": {"mode": "bicubic", "antialias": False},
}
"""How images are resized, by the name in configurations and manifests."""


@dataclass(frozen=True)
class Preprocessing:
    """How images become a network's input.

    size: side in pixels to which images are resized, or None to keep theirs.
    mean: one value per channel, on the scale where white is 1, subtracted; none for vectors.
    std: one positive value per channel, then divided by. The number of channels of `mean`
        and `std` is the network's.
    interpolation: how they are resized, one of `INTERPOLATIONS`.
    processor: what transformers' image processor is made with, which then does the rest; mean and
        std say what it does to values. None without one.
    """

    size: int | None
    mean: tuple[float, ...]
    std: tuple[float, ...]
    interpolation: str = BILINEAR
    processor: Mapping[str, Any] | None = None

    @property
    def channels(self) -> int:
        """Channels that the network takes."""
        return len(self.mean)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Preprocessing":
        """Read a manifest's or config's `{size, mean, std, interpolation}`.

        Raises:
            UserError: if mean and std differ in length, std is not positive, or the interpolation
                is unknown.
        """
        if document["mean"] is None:
            return AS_THEY_ARE
        mean, std = tuple(document["mean"]), tuple(document["std"])
        if len(mean) != len(std) or not mean or min(std) <= 0:
            raise UserError(
                f"preprocessing with mean {list(mean)} and std {list(std)}: give both one value "
                "per channel, and std positive"
            )
        interpolation = document.get("interpolation") or BILINEAR
        if interpolation not in INTERPOLATIONS:
            raise UserError(
                f"features.interpolation is {interpolation}; choose one of "
                + ", ".join(INTERPOLATIONS)
            )
        return cls(document.get("size"), mean, std, interpolation, document.get("processor"))

    @classmethod
    def of_processor(cls, processor: Mapping[str, Any], channels: int) -> "Preprocessing":
        """Return what an image processor of transformers does.

        Args:
            processor: its `to_dict()`.
            channels: that the network takes.
        """
        normalised = bool(processor.get("do_normalize"))
        factor = processor["rescale_factor"] if processor.get("do_rescale") else 1
        white = 255 * factor if abs(255 * factor - 1) > 1e-9 else 1.0

        def values(key: str, neutral: float) -> tuple[float, ...]:
            given = processor.get(key) if normalised else None
            given = neutral if given is None else given
            given = given if isinstance(given, Sequence) else [given] * channels
            return tuple(value / white for value in given)

        mean, std = values("image_mean", 0.0), values("image_std", 1.0)
        return cls(None, mean, std, processor=processor)

    def overridden(self, features: Mapping[str, Any]) -> "Preprocessing":
        """Return this preprocessing with what the config's block `features` gives of it."""
        keys = ("size", "mean", "std", "interpolation")
        overriding = {key: features[key] for key in keys if features.get(key)}
        document = {**self.document(), **overriding}
        if overriding and self.processor is not None:
            changes: dict[str, Any] = {}
            if "size" in overriding:
                changes |= {"do_resize": False, "do_center_crop": False, "do_pad": False}
            if "interpolation" in overriding:
                changes["resample"] = Resampling[overriding["interpolation"].upper()].value
            if "mean" in overriding or "std" in overriding:
                changes |= {"do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True}
                changes |= {"image_mean": document["mean"], "image_std": document["std"]}
            document["processor"] = {**self.processor, **changes}
        return Preprocessing.of(document)

    def document(self) -> dict[str, Any]:
        """Return builtin types for a manifest."""
        document = asdict(self) | {"mean": list(self.mean) or None, "std": list(self.std) or None}
        if self.processor is None:
            del document["processor"]
        return document


AS_THEY_ARE = Preprocessing(None, (), ())
"""What vectors get: nothing."""


def measured(images: np.ndarray) -> Preprocessing:
    """Return the preprocessing that gives `images` (uint8, NHWC) zero mean and unit variance."""
    flat = images.reshape(-1, images.shape[-1]).astype(np.float64) / 255
    mean = tuple(round(float(value), 4) for value in flat.mean(0))
    std = tuple(max(round(float(value), 4), 1e-4) for value in flat.std(0))
    return Preprocessing(None, mean, std)


def preprocess(images: np.ndarray | torch.Tensor, spec: Preprocessing) -> torch.Tensor:
    """Return float32 NCHW inputs of uint8 NHWC images, on the images' device.

    Grey images are repeated to the network's channels; colour images are averaged to grey when
    the network takes one channel.

    Raises:
        UserError: if the images' channels cannot be turned into the network's.
    """
    inputs = torch.as_tensor(images).permute(0, 3, 1, 2).float()
    if spec == AS_THEY_ARE:
        return inputs
    inputs = _with_channels(inputs.div_(255), spec.channels)
    if spec.size is not None and tuple(inputs.shape[2:]) != (spec.size, spec.size):
        inputs = F.interpolate(inputs, size=(spec.size,) * 2, **INTERPOLATIONS[spec.interpolation])
    if spec.processor is not None:
        processor = _processor(json.dumps(spec.processor))
        pixels = inputs.mul_(255).round_().clamp_(0, 255).to(torch.uint8)
        made = processor(pixels, return_tensors="pt", input_data_format="channels_first")
        return made["pixel_values"].float()
    return inputs.sub_(_per_channel(spec.mean, inputs)).div_(_per_channel(spec.std, inputs))


@lru_cache(maxsize=4)
def _processor(document: str) -> Any:
    """Return transformers' image processor of what `to_dict` gave, as JSON.

    Raises:
        UserError: if it is none: a manifest of others could name anything.
    """
    from fbftl.ground.torchvision_ops import import_torchvision

    import_torchvision()
    import transformers

    options = json.loads(document)
    name = str(options.pop("image_processor_type", None))
    kind = getattr(transformers, name, None)
    if not (isinstance(kind, type) and issubclass(kind, transformers.ImageProcessingMixin)):
        raise UserError(f"preprocessing by {name}, which is no image processor of transformers")
    return kind(**options)


def _with_channels(inputs: torch.Tensor, channels: int) -> torch.Tensor:
    present = inputs.shape[1]
    if present == channels:
        return inputs
    if present == 1:
        return inputs.repeat(1, channels, 1, 1)
    if channels == 1:
        return inputs.mean(1, keepdim=True)
    raise UserError(
        f"the images have {present} channels and the network takes {channels}; "
        "give features.mean and features.std one value per channel of the network"
    )


def _per_channel(values: Sequence[float], like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(values, dtype=like.dtype, device=like.device).view(1, -1, 1, 1)
