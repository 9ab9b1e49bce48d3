"""What dropout that is active while features are extracted does to uploads (audit row A4)."""

import numpy as np

from fbftl.ground.randomness import stream

WIDTH = 1024
"""Of every layer; the released network's is 4,096, which changes the mean little."""

IMAGES = 64


def cosine_of_two_uploads(rate: float, layers: int) -> float:
    """Return the mean cosine of two uploads of one image, measured on a network with dropout.

    Dense layers with random weights, each with a ReLU and dropout behind it as in VGG-16, see the
    same inputs twice in train mode; what the last one gives is what is uploaded.

    Args:
        rate: probability that dropout clears a number, in [0, 1).
        layers: dense layers that are frozen.
    """
    generator = stream(0, "dropout_of_uploads")
    inputs = np.maximum(generator.standard_normal((IMAGES, WIDTH)), 0)
    deviation = (2 / WIDTH) ** 0.5
    weights = generator.standard_normal((layers, WIDTH, WIDTH)) * deviation

    def upload() -> np.ndarray:
        values = inputs
        for matrix in weights:
            kept = generator.random(values.shape) >= rate
            values = np.maximum(values @ matrix, 0) * kept / (1 - rate)
        return values

    first, second = upload(), upload()
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return float(np.mean((first * second).sum(axis=1) / lengths))
