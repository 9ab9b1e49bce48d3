"""The embedded source task: tell 52 letters apart, rendered from the fonts that matplotlib ships.

Each image is one letter of the Latin alphabet, capital or small, in a random text font, with
random size, stretch, slant, rotation, place and blur, bright on dark. It is drawn four times
larger and averaged down, as the 8x8 digits of scikit-learn were made from 32x32 scans. With three
channels, ink and paper get random colours.
"""

import string
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from fbftl.ground.randomness import stream

ALPHABET = string.ascii_letters
"""The classes, in the order of their labels."""

FONTS = (
    "DejaVuSans",
    "DejaVuSans-*",
    "DejaVuSansMono*",
    "DejaVuSerif",
    "DejaVuSerif-*",
    "STIXGeneral*",
    "cmb10",
    "cmmi10",
    "cmr10",
    "cmss10",
    "cmti10",
    "cmtt10",
)
"""Patterns of the text fonts; the others hold symbols only."""

OVERSAMPLING = 4
GLYPH_PIXELS = 96

SIZE = (0.85, 1.15)
"""Longer side of the letter, in image sides, before stretching."""

STRETCH = 0.5
"""Largest logarithm of width over height gained, each taking half."""

SLANT = 0.35
ROTATION_DEGREES = 15.0
SHIFT = 0.06
BLUR = (0.05, 0.6)
"""Standard deviation of the blur, in image pixels."""


def render_letters(
    count: int, image: tuple[int, int, int], seed: int, concern: str = "letters"
) -> tuple[np.ndarray, np.ndarray]:
    """Render `count` random letters.

    Args:
        count: number of images.
        image: height, width and channels (1 or 3).
        seed: names the draw; equal arguments give equal images.
        concern: names the set, so that a held-out set differs under the same seed.

    Returns:
        Images, uint8 of shape (count, height, width, channels), and labels, int64 indices into
        `ALPHABET`.
    """
    height, width, channels = image
    rng = stream(seed, concern)
    fonts = glyphs()
    labels = rng.integers(len(ALPHABET), size=count)
    chosen = rng.integers(len(fonts), size=count)
    grey = np.empty((count, height, width), np.float32)
    for row in range(count):
        letter = _warped(fonts[chosen[row]][labels[row]], height, width, rng)
        cells = np.asarray(letter).reshape(height, OVERSAMPLING, width, OVERSAMPLING)
        grey[row] = cells.mean((1, 3), dtype=np.float32)
    images = grey[..., None]
    if channels > 1:  # between a random paper and a random ink colour
        paper, ink = rng.uniform(0, 255, (2, count, 1, 1, channels)).astype(np.float32)
        images = paper + (ink - paper) * (images / 255)
    return np.rint(images).astype(np.uint8), labels.astype(np.int64)


@cache
def glyphs() -> tuple[tuple[Image.Image, ...], ...]:
    """Return per font, in order of file name, the cropped image of every letter."""
    import matplotlib

    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    paths = sorted({path for name in FONTS for path in folder.glob(f"{name}.ttf")})
    fonts = [ImageFont.truetype(path, GLYPH_PIXELS) for path in paths]
    return tuple(tuple(_glyph(font, letter) for letter in ALPHABET) for font in fonts)


def _glyph(font: ImageFont.FreeTypeFont, letter: str) -> Image.Image:
    left, top, right, bottom = font.getbbox(letter)
    picture = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(picture).text((-left, -top), letter, fill=255, font=font)
    return picture.crop(picture.getbbox())


def _warped(glyph: Image.Image, height: int, width: int, rng: np.random.Generator) -> Image.Image:
    """Draw `glyph` at a random size, stretch, slant, rotation, place and blur, oversampled."""
    canvas = np.array([width, height]) * OVERSAMPLING
    scale = min(canvas) * rng.uniform(*SIZE) / max(glyph.size)
    stretch = np.exp(rng.uniform(-STRETCH, STRETCH) / 2)
    slant = rng.uniform(-SLANT, SLANT)
    angle = np.deg2rad(rng.uniform(-ROTATION_DEGREES, ROTATION_DEGREES))
    shift = rng.uniform(-SHIFT, SHIFT, 2)
    blur = rng.uniform(*BLUR)
    cosine, sine = np.cos(angle), np.sin(angle)
    rotate = np.array([[cosine, -sine], [sine, cosine]])
    forward = rotate @ [[1, slant], [0, 1]] @ np.diag([scale * stretch, scale / stretch])
    # Pillow wants the map from output pixels back to the glyph's.
    back = np.linalg.inv(forward)
    offset = np.array(glyph.size) / 2 - back @ (canvas * (0.5 + shift))
    coefficients = [*back[0], offset[0], *back[1], offset[1]]
    warped = glyph.transform(
        tuple(canvas.tolist()),
        Image.Transform.AFFINE,
        [float(value) for value in coefficients],
        Image.Resampling.BILINEAR,
    )
    return warped.filter(ImageFilter.GaussianBlur(float(blur * OVERSAMPLING)))
