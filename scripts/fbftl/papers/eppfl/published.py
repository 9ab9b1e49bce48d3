"""Paper eppfl's setting: VGG-19 in two parts at 100 clients, as its text and code have it."""

from dataclasses import dataclass

from fbftl.models.chain import Chain, described
from fbftl.models.cost.layers import Layer, parameters
from fbftl.models.cost.payload import CutMap
from fbftl.papers.record import PaperRecord

CHANNELS = ((64,) * 2, (128,) * 2, (256,) * 4, (512,) * 4, (512,) * 4)
"""Output channels of VGG-19's convolutions, block by block."""

POOLS = (2, 2, 2, 2, 1)
"""The public code's variant has no pooling at the end of the last block."""

COLOURS, CLASSES = 3, 10


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
    pixels, width = int(setup["pixels"]), int(script["dense_width"])
    network = Chain((pixels, pixels, COLOURS), CLASSES, (width, width), CHANNELS, pool=POOLS)
    return SplitSetting(
        clients=int(setup["clients"]),
        samples=int(setup["samples_per_client"]),
        batch=int(setup["batch"]),
        epochs=int(setup["epochs"]),
        share=float(setup["share_kept"]),
        cut=CutMap(CHANNELS[0][0], pixels**2),
        layers=tuple(described(network)),
    )
