"""EPPFL: split networks whose clients send selected activations, under noise and masks."""

from collections.abc import Iterator

from fbftl.study.axes import (
    AGGREGATION,
    BY_ROUNDS,
    LOCAL_EPOCHS,
    MASKED,
    MECHANISM_GIVEN,
    NETWORK,
    POINT,
)
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.record import MethodRecord

SELECTS_GRADIENTS = Needs("keep_gradients below 1", lambda setting: setting.keep_gradients < 1)
SELECTS = Needs(
    "keep_activations or keep_gradients below 1",
    lambda setting: setting.keep_activations < 1 or setting.keep_gradients < 1,
)
HAS_NETWORK = Needs("a network", lambda setting: setting.network is not None)

AXES = (
    Axis(
        "keep_activations", float, 1.0,
        "share θ_a of its activations that a client of a split network sends.",
        Numbers(above=0, most=1),
    ),
    Axis(
        "keep_gradients", float, 1.0,
        "share θ_g of the gradients there that its edge server sends back.",
        Numbers(above=0, most=1),
    ),
    Axis(
        "kept_gradients", str, "large",
        "which of them: large, small (by magnitude) or random; hook drops the large ones, as the "
        "public code's hook does, and so sends 1 - θ_g.",
        ("large", "small", "random", "hook"),
        (SELECTS_GRADIENTS,),
    ),
    Axis(
        "selection_reading", str, "paper",
        "how the selection is read: paper selects in each channel of a sample, code in the batch, "
        "as its public code does.",
        ("paper", "code"),
        (SELECTS,),
    ),
    Axis(
        "laplace_sensitivity", str, None,
        "what Laplace noise is scaled by: clip, or the paper's channel_maximum.",
        ("clip", "channel_maximum"),
        (MECHANISM_GIVEN,),
    ),
    Axis(
        "mask_shape", str, "vector",
        "vector masks each weight by its own number; scalar masks all by one, as Eq. (8) reads.",
        ("vector", "scalar"),
        (MASKED,),
    ),
    Axis(
        "client_part", str, None,
        "last layer at the clients of a split network; none takes the network's own cut.",
        {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/layer"}]},
        (HAS_NETWORK,),
    ),
)  # fmt: skip


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting lacks for its noise."""
    scaled = setting.epsilon is not None and setting.laplace_sensitivity is not None
    if setting.mechanism == "laplace" and not scaled:
        yield (
            "has mechanism laplace, which needs epsilon of a coordinate and a sensitivity; give "
            "laplace_sensitivity: [clip], or [channel_maximum] for the paper's"
        )


def unprotected(setting: AxisValues) -> str | None:
    """Return what clients send beside activations under noise that bounds what these tell."""
    noisy = setting.mechanism == "laplace"
    return "weights that were trained on the same samples are sent without noise" if noisy else None


RECORD = MethodRecord(
    "eppfl", "EPPFL", "#882255", "d", "eppfl",
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, NETWORK, LOCAL_EPOCHS, AGGREGATION, POINT, *AXES),
    mechanisms=("none", "laplace"),
    compresses=False,
    faults=faults,
    unprotected=unprotected,
)  # fmt: skip
