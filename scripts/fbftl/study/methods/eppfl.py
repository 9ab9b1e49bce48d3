"""EPPFL: clients of a split network send a random part of their activations and masked weights."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fbftl.study.axes import BY_ROUNDS, MASKED, MECHANISM_GIVEN, Axes, AxisValues, Needs
from fbftl.study.model.block import Layer, PositiveShare
from fbftl.study.record import MethodRecord

SELECTS_GRADIENTS = Needs("keep_gradients below 1", lambda setting: setting.keep_gradients < 1)
SELECTS = Needs(
    "keep_activations or keep_gradients below 1",
    lambda setting: setting.keep_activations < 1 or setting.keep_gradients < 1,
)
HAS_NETWORK = Needs("a network", lambda setting: setting.network is not None)


class EPPFLAxes(Axes):
    """Axes of EPPFL alone.

    keep_activations: share θ_a of its activations that a client of a split network sends.
    keep_gradients: share θ_g of the gradients there that its edge server sends back.
    kept_gradients: which gradients are kept: large or small ones (by magnitude), or random; hook
        drops the large ones, as the public code does, and so sends a share 1 - θ_g.
    selection_reading: where activations and gradients are selected: paper, in each channel of a
        sample; code, in the whole batch as in the public code.
    laplace_sensitivity: sensitivity of Laplace noise: clip, or channel_maximum as in the public
        code. Null is for other noise.
    mask_shape: vector masks each weight by a number of its own; scalar masks all weights by one
        number, as Eq. (8) reads.
    client_part: last layer at the clients of a split network; null takes the network's own cut.
    """

    keep_activations: PositiveShare = 1.0
    keep_gradients: PositiveShare = 1.0
    kept_gradients: Annotated[Literal["large", "small", "random", "hook"], SELECTS_GRADIENTS] = (
        "large"
    )
    selection_reading: Annotated[Literal["paper", "code"], SELECTS] = "paper"
    laplace_sensitivity: Annotated[Literal["clip", "channel_maximum"] | None, MECHANISM_GIVEN] = (
        None
    )
    mask_shape: Annotated[Literal["vector", "scalar"], MASKED] = "vector"
    client_part: Annotated[Layer | None, HAS_NETWORK] = None


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting lacks for its noise."""
    scaled = setting.epsilon is not None and setting.laplace_sensitivity is not None
    if setting.mechanism == "laplace" and not scaled:
        yield (
            "has mechanism laplace, which needs epsilon of a coordinate and a sensitivity; give "
            "laplace_sensitivity: [clip], or [channel_maximum] for the public code's"
        )


RECORD = MethodRecord(
    "eppfl", "EPPFL", "#882255", "d", "eppfl",
    place=170,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "aggregation", "fraction_bits", EPPFLAxes),
    mechanisms=("none", "laplace"),
    compresses=False,
    faults=faults,
)  # fmt: skip
