"""Domains: clients that see the same kind of thing differently.

A domain changes how images look and leaves their labels. Which samples it shows is decided once,
for training and test apart, so that no sample is seen in two domains.

============  ================================================================================
``plain``     as the data set has them
``inverted``  255 minus each value
``rotated``   a quarter turn to the left
``mirrored``  left and right exchanged
``flipped``   top and bottom exchanged
``noisy``     normal noise, 0.18 of the range (Hendrycks & Dietterich, 2019: severity 3 of 5)
``blurred``   a Gaussian of 1/32 of the shorter side, at least 0.75 pixels
``tinted``    seen through orange glass of opacity 0.3; grey images through its luminance
``shifted``   each client's own angle up to 25 degrees, offset up to a tenth of a side, and gamma
              from 1/2 to 2
============  ================================================================================

Images are uint8 [n, height, width, channels], with 1 or 3 channels; so is what every domain gives.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.data.datasets.base import Images
from fbftl.ground.randomness import stream

NOISE = 0.18 * 255
GLASS, OPACITY = np.array([255, 128, 0], dtype=np.float32), 0.3
LUMINANCE = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""Weights of red, green and blue (ITU-R BT.601)."""

ANGLE, OFFSET, GAMMA = 25.0, 0.1, 2.0
"""Bounds of a client's shift: degrees, share of the side, gamma or one over it."""


@dataclass(frozen=True)
class Origin:
    """Whose images they are, which decides what is drawn for them.

    split: ``train`` or ``test``.
    sample: numbers of the samples in their split, [n].
    client: number of the client that holds them.
    seed: seed of the task's clients.
    """

    split: str
    sample: np.ndarray
    client: int
    seed: int

    def __getitem__(self, rows: np.ndarray | slice) -> "Origin":
        """Return the origin of some of the images."""
        return Origin(self.split, self.sample[rows], self.client, self.seed)


def plain(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images as they are."""
    return images


def inverted(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the negatives."""
    return 255 - images


def rotated(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images after a quarter turn to the left; oblong ones keep their frame."""
    return moved(images, 90.0)


def mirrored(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images with left and right exchanged."""
    return images[:, :, ::-1]


def flipped(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images upside down, as in a pond."""
    return images[:, ::-1]


def noisy(images: np.ndarray, origin: Origin) -> np.ndarray:
    """Return the images under noise, which depends on the sample alone and not on its holder."""
    noise = [
        stream(origin.seed, f"domain noise {origin.split}", int(sample)).standard_normal(
            images.shape[1:], dtype=np.float32
        )
        for sample in origin.sample
    ]
    return _pixels(images + NOISE * np.array(noise).reshape(images.shape))


def blurred(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images out of focus; beyond an edge, its pixels go on."""
    # Slow to import, and most tasks have no domains.
    from scipy.ndimage import gaussian_filter

    width = max(0.75, min(images.shape[1:3]) / 32)
    return _pixels(gaussian_filter(images.astype(np.float32), (0, width, width, 0), mode="nearest"))


def tinted(images: np.ndarray, _: Origin) -> np.ndarray:
    """Return the images through coloured glass."""
    glass = GLASS if images.shape[3] == len(GLASS) else LUMINANCE @ GLASS
    return _pixels((1 - OPACITY) * images + OPACITY * glass)


def shifted(images: np.ndarray, origin: Origin) -> np.ndarray:
    """Return the images as the client's own camera sees them: turned, off centre, its gamma."""
    angle, down, right, gamma = stream(origin.seed, "domain shift", origin.client).uniform(-1, 1, 4)
    height, width = images.shape[1:3]
    turned = moved(images, ANGLE * angle, OFFSET * down * height, OFFSET * right * width)
    return _pixels(255 * (turned / np.float32(255)) ** np.float32(GAMMA**gamma))


def moved(images: np.ndarray, angle: float, down: float = 0, right: float = 0) -> np.ndarray:
    """Return images turned about their centre, then shifted; beyond an edge, its pixels go on.

    Args:
        images: uint8 [n, height, width, channels].
        angle: degrees to the left.
        down: pixels, may be a fraction of one; between pixels is interpolated.
        right: pixels, may be a fraction of one; between pixels is interpolated.
    """
    height, width = images.shape[1:3]
    middle_y, middle_x = (height - 1) / 2, (width - 1) / 2
    y, x = np.mgrid[:height, :width].astype(float)
    y, x = y - middle_y - down, x - middle_x - right
    cosine, sine = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    top, bottom, low = _neighbours(cosine * y + sine * x + middle_y, height)
    left, far, near = _neighbours(cosine * x - sine * y + middle_x, width)
    above = images[:, top, left] * (1 - near) + images[:, top, far] * near
    below = images[:, bottom, left] * (1 - near) + images[:, bottom, far] * near
    return _pixels(above * (1 - low) + below * low)


def _neighbours(coordinate: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixels before and after each coordinate [h, w], and the weight of the latter."""
    coordinate = np.clip(coordinate, 0, length - 1)
    before = np.floor(coordinate).astype(int)
    weight = (coordinate - before).astype(np.float32)[..., None]
    return before, np.minimum(before + 1, length - 1), weight


def _pixels(values: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(values, 0, 255)).astype(np.uint8)


STEPS: dict[str, Callable[[np.ndarray, Origin], np.ndarray]] = {
    step.__name__: step
    for step in (plain, inverted, rotated, mirrored, flipped, noisy, blurred, tinted, shifted)
}

Domain = tuple[str, ...]
"""What is done to the images of a domain, in turn: keys of `STEPS`."""


def name_of(domain: Domain) -> str:
    """Return a domain's name, its steps joined by a plus."""
    return "+".join(domain)


def is_of_client(domain: Domain) -> bool:
    """Tell whether a domain's images differ from client to client."""
    return shifted.__name__ in domain


def assigned_domains(samples: int, domains: int, seed: int, split: str) -> np.ndarray:
    """Return the domain of every sample of a split, int32 [n], at random and in equal shares.

    Args:
        samples: samples of the split, n.
        domains: number of domains; the first get one sample more where they do not divide n.
        seed: seed of the task's clients.
        split: ``train`` or ``test``.
    """
    turn = np.arange(samples) % domains
    return stream(seed, f"domains {split}").permutation(turn).astype(np.int32)


@dataclass(frozen=True)
class Seen:
    """A client's images as they are seen in their domains, made slice by slice.

    images: as the data set has them, [n, height, width, channels].
    domains: of the task.
    domain: place in `domains` of each image's, [n].
    origin: whose images they are.
    """

    images: Images
    domains: Sequence[Domain]
    domain: np.ndarray
    origin: Origin

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of all images."""
        return self.images.shape

    @property
    def dtype(self) -> np.dtype:
        """The type of a pixel."""
        return self.images.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Return some images, each seen in its domain."""
        images = np.array(self.images[rows])
        domain, origin = self.domain[rows], self.origin[rows]
        for index in np.unique(domain):
            here = np.flatnonzero(domain == index)
            seen = images[here]
            for step in self.domains[index]:
                seen = STEPS[step](seen, origin[here])
            images[here] = seen
        return images
