"""Encoded images (JPEG, PNG, ...) in memory or on disk, decoded only where they are asked for."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from fbftl.ground.errors import UserError

SIXTEEN_BITS = ("PNG", "PPM")
"""Formats whose images of more than 8 bits Pillow may hold as 32-bit numbers up to 65,535."""

WHITE_OF_16_BITS = 65535

MODES = {1: "L", 3: "RGB"}
"""Channels to Pillow's name for them."""


def shape_wanted(spec: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """Return height, width and channels to which a data block brings images, None without size."""
    size = spec.get("size")
    return None if size is None else (size, size, spec.get("channels", 3))


@dataclass(frozen=True)
class EncodedImages:
    """Images that are decoded to uint8 NHWC when rows are taken.

    sources: each image's bytes, or the file that holds them.
    names: what to call each image in a message.
    channels: 1 (grey) or 3 (colour); images are converted.
    size: side in pixels of the decoded squares: each image is scaled to cover it and cropped
        in the centre. Without it all images must have the first one's shape.
    """

    sources: Sequence[bytes | Path]
    names: Sequence[str]
    channels: int
    size: int | None

    @cached_property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of images, height, width, channels."""
        return (len(self.sources), *self._decode(0).shape)

    @property
    def dtype(self) -> np.dtype:
        """Type of the decoded values."""
        return np.dtype(np.uint8)

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Decode a slice of rows.

        Raises:
            UserError: on an image that cannot be decoded or has another shape than the first.
        """
        wanted = range(*rows.indices(len(self.sources)))
        out = np.empty((len(wanted), *self.shape[1:]), dtype=np.uint8)
        for position, row in enumerate(wanted):
            image = self._decode(row)
            if image.shape != self.shape[1:]:
                raise UserError(
                    f"{self.names[row]} is {image.shape[1]} x {image.shape[0]} pixels and "
                    f"{self.names[0]} is {self.shape[2]} x {self.shape[1]}; "
                    "set data.size to bring all images to one size"
                )
            out[position] = image
        return out

    def take(self, rows: np.ndarray, axis: int = 0) -> "EncodedImages":
        """Return the images of the given rows, still encoded; NumPy's `take` along axis 0."""
        sources, names = ([each[row] for row in rows] for each in (self.sources, self.names))
        return EncodedImages(sources, names, self.channels, self.size)

    def _decode(self, row: int) -> np.ndarray:
        source = self.sources[row]
        try:
            with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as image:
                pixels = _eight_bits(image, self.names[row]).convert(MODES[self.channels])
        except UserError:
            raise
        except Exception as error:  # Pillow raises whatever its decoders stumble over
            raise UserError(
                f"{self.names[row]} is damaged or not an image; replace or remove it"
            ) from error
        if self.size is not None and pixels.size != (self.size, self.size):
            pixels = ImageOps.fit(pixels, (self.size, self.size), Image.Resampling.BICUBIC)
        return np.asarray(pixels).reshape(pixels.height, pixels.width, self.channels)


def _eight_bits(image: Image.Image, name: str) -> Image.Image:
    """Return an image upright, opaque (on white), and with 8 bits per value.

    Raises:
        UserError: if it has several frames, or values of 32 bits whose range nobody knows.
    """
    # A camera's MPO holds one picture, and previews or a second eye's view behind it.
    if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
        raise UserError(f"{name} has {image.n_frames} frames; save one of them as an image")
    sixteen = image.mode.startswith("I;16") or (image.mode == "I" and image.format in SIXTEEN_BITS)
    if image.mode in ("I", "F") and not sixteen:
        raise UserError(f"{name} has values of 32 bits; save it with 8 or 16 bits")
    upright = ImageOps.exif_transpose(image)
    if sixteen:
        values = np.asarray(upright).astype(np.float64) / WHITE_OF_16_BITS * 255
        return Image.fromarray(np.rint(values).clip(0, 255).astype(np.uint8))
    if upright.has_transparency_data:
        colours = upright.convert("RGBA")
        white = Image.new("RGBA", colours.size, "white")
        return Image.alpha_composite(white, colours).convert("RGB")
    return upright
