"""Paper eppfl's setting: VGG-19 in two parts at 100 clients, as its text and code have it."""

from dataclasses import dataclass

from fbftl.models.cost.layers import Layer, convolution, dense, parameters
from fbftl.models.cost.split import CutMap
from fbftl.papers.record import PaperRecord

CHANNELS = ((64,) * 2, (128,) * 2, (256,) * 4, (512,) * 4, (512,) * 4)
"""Output channels of VGG-19's convolutions, block by block."""

POOLED_BLOCKS = 4
"""Blocks of the public code's variant that end in pooling: all but the last."""

COLOURS, CLASSES, KERNEL = 3, 10, 3


@dataclass(frozen=True)
class SplitSetting:
    """The paper's setting.

    samples: D, of each client.
    epochs: E, of each round.
    share: θ_a and θ_g of its EPPFL.
    cut: one sample's activations behind the first convolution.
    layers: of the whole network, of which a client holds the first.
    """

    clients: int
    samples: int
    batch: int
    epochs: int
    share: float
    cut: CutMap
    layers: tuple[Layer, ...]

    @property
    def parameters(self) -> int:
        """Those of the whole network."""
        return parameters(self.layers)

    @property
    def client_parameters(self) -> int:
        """Those of the first convolution."""
        return self.layers[0].parameters


def setup_of(record: PaperRecord) -> SplitSetting:
    """Return the setting from the published tables `setup` and `script`."""
    setup, script = record.numbers("setup"), record.numbers("script")
    pixels = int(setup["pixels"])
    return SplitSetting(
        clients=int(setup["clients"]),
        samples=int(setup["samples_per_client"]),
        batch=int(setup["batch"]),
        epochs=int(setup["epochs"]),
        share=float(setup["share_kept"]),
        cut=CutMap(CHANNELS[0][0], pixels**2),
        layers=tuple(vgg19(pixels, int(script["dense_width"]))),
    )


def vgg19(pixels: int, width: int) -> list[Layer]:
    """Return the layers of the public code's VGG-19, without batch normalisation.

    Args:
        pixels: side of the images.
        width: of both hidden dense layers.
    """
    layers, channels, side = [], COLOURS, pixels
    for block, widths in enumerate(CHANNELS, start=1):
        for number, out in enumerate(widths, start=1):
            layers.append(convolution(f"conv{block}_{number}", channels, out, KERNEL, side))
            channels = out
        side //= 2 if block <= POOLED_BLOCKS else 1
    flat = channels * side**2
    hidden = [dense("fc1", flat, width), dense("fc2", width, width)]
    return [*layers, *hidden, dense("output", width, CLASSES)]
