"""What claims of paper eppfl rest on: its setting, a count that needs no runs, and its measures.

The setting is VGG-19 in two parts at 100 clients, as the paper's text and code have it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from fbftl.models.chain import Chain, described
from fbftl.models.cost.compute import training_products
from fbftl.models.cost.layers import Layer, parameters
from fbftl.models.cost.payload import CutMap
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.measures import ClaimMeasure, Measured, along, column, rounds_to_converge
from fbftl.papers.quantities import Runs
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


def client_multiplications(case: FormulaCase) -> Decision:
    """Decide by what a client multiplies of a sample in an epoch, over the whole network."""
    layers = setup_of(case.record).layers
    share = training_products(layers[:1]) / training_products(layers)
    return Decision("a client's multiplications over FedAvg's", f"{share:.4f}", share < 1)


TESTED = "protected_accuracy"
"""Series of accuracy as it is tested, where uploads are noised and dropped as in training."""


def bits(runs: Runs, setting: str) -> pd.Series:
    """Return the bits up and down of a run, by seed."""
    return column(runs, "uplink_bits", setting) + column(runs, "downlink_bits", setting)


def bits_to_converge(runs: Runs, setting: str) -> pd.Series:
    """Return the bits up and down until a setting has converged; all rounds send as many."""
    rounds, converged = along(TESTED, len), along(TESTED, rounds_to_converge)
    per_round = bits(runs, setting) / rounds.values(runs, setting)
    return (per_round * converged.values(runs, setting)).dropna()


MEASURES: Mapping[str, Measured] = {
    "bits": ClaimMeasure(bits, counted=True),
    "bits_to_converge": ClaimMeasure(bits_to_converge),
}
