"""Pictures that an adversary drew, below their originals."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

from fbftl.attacks.findings import Finding
from fbftl.findings.story import Story
from fbftl.findings.style import TEXT_WIDTH

SHOWN = 10
"""Pictures in the figure."""


def story(pictures: dict[str, np.ndarray], findings: Sequence[Finding]) -> Story:
    """Return how near to the originals the best and the worst row of drawn pictures come."""
    likeness = [f for f in findings if f.measure == "PSNR (dB)"]
    quality = dict(zip(list(pictures)[1:], likeness, strict=True))
    best = max(quality, key=lambda name: quality[name].value)
    worst = min(quality, key=lambda name: quality[name].value)
    spans = f"{quality[best].value:.1f} dB at best ({best})"
    if worst != best:
        spans += f" and {quality[worst].value:.1f} dB at worst ({worst})"
    return Story(
        f"Pictures drawn from uploads have a PSNR of {spans}, the public mean picture "
        f"{quality[best].blind:.1f} dB",
        "A row of originals above a row of pictures that an adversary drew for each case, with its "
        "mean peak signal-to-noise ratio in decibels.",
    )


def draw(pictures: dict[str, np.ndarray], findings: Sequence[Finding]) -> plt.Figure:
    """Return the figure: a row of originals, then a row per level of noise."""
    quality = [f.value for f in findings if f.measure == "PSNR (dB)"]
    titles = [
        "original",
        *(f"{n}\n{q:.1f} dB" for n, q in zip(list(pictures)[1:], quality, strict=True)),
    ]
    columns = min(SHOWN, len(pictures["original"]))
    height = TEXT_WIDTH / (columns + 1) * len(pictures)
    figure, places = plt.subplots(
        len(pictures), columns, figsize=(TEXT_WIDTH, height), squeeze=False
    )
    for row, (title, images) in zip(
        places, zip(titles, pictures.values(), strict=True), strict=True
    ):
        for axes, image in zip(row, images, strict=False):
            axes.imshow(np.moveaxis(image, 0, 2), cmap="gray", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            axes.grid(False)
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(title, rotation=0, ha="right", va="center")
    figure.subplots_adjust(wspace=0.05, hspace=0.05)
    return figure
