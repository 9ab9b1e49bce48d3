"""Pictures that an adversary drew, below their originals."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from fbftl.attacks.attained import Finding
from fbftl.findings.plots.kinds import pictures
from fbftl.findings.style import TEXT_WIDTH

SHOWN = 10
"""Pictures in the figure."""


def draw(drawn: Mapping[str, np.ndarray], findings: Sequence[Finding]) -> Figure:
    """Return the figure: a row of originals, then a row per level of noise.

    Args:
        drawn: (n, channels, height, width) by case, the originals first.
        findings: how close each case comes.
    """
    quality = [f.value for f in findings if f.measure == "PSNR (dB)"]
    cases = zip(list(drawn)[1:], quality, strict=True)
    names = ["original", *(f"{name}\n{value:.1f} dB" for name, value in cases)]
    rows = [np.moveaxis(images[:SHOWN], 1, 3) for images in drawn.values()]
    images = dict(zip(names, rows, strict=True))
    return pictures(images, TEXT_WIDTH / (len(rows[0]) + 1), {})
