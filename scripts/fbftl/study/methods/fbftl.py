"""Methods of paper fbftl: rounds of the whole network or of its head, and features sent once."""

from collections.abc import Iterator

from fbftl.study.axes import BY_ROUNDS, CLIENTS, COMPRESSION, LINK, NOISE, OF_FEATURES, AxisValues
from fbftl.study.record import MethodRecord, alike_in

FL = MethodRecord(
    "fl", "FL", "#CC79A7", "D", "fbftl",
    place=10,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "clients_per_round", "network"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="fl",
)  # fmt: skip
"""FL: in every round clients send gradients of the whole network (FedSGD)."""


SFL = MethodRecord(
    "sfl", "SFL", "#E69F00", "v", "fbftl",
    place=20,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "network"),
    compresses=False,
    cost="sfl",
)  # fmt: skip
"""SFL: FL with the network split between clients and server, which exchange activations."""


FTL_F = MethodRecord(
    "ftl_f", "FTL_f", "#009E73", "^", "fbftl",
    place=30,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "clients_per_round"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="ftl_f",
    kinds=("images", "dialogues"),
)  # fmt: skip
"""FTL_f: FL that starts from the pre-trained source network."""


FTL_C = MethodRecord(
    "ftl_c", "FTL_c", "#0072B2", "s", "fbftl",
    place=40,
    reads="features",
    sends="rounds",
    axes=("cut", *BY_ROUNDS, "clients_per_round"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="ftl_c",
    kinds=("images", "dialogues"),
)  # fmt: skip
"""FTL_c: in every round clients send gradients of a head on frozen features."""


FBFTL = MethodRecord(
    "fbftl", "FbFTL", "#D55E00", "o", "fbftl",
    place=50,
    reads="features",
    sends="once",
    axes=("cut", *CLIENTS, "clients_per_round", *LINK, "loss", *COMPRESSION, *NOISE, *OF_FEATURES),
    mechanisms=("none", "relative", "gaussian"),
    cost="fbftl",
    kinds=("images", "dialogues"),
    together=alike_in("noise_draw"),
)  # fmt: skip
"""FbFTL: clients upload features once, and the server trains the head on them."""


def released_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.plr > 0 and setting.loss != "reshuffled":
        yield "is as released, where losses come back; give plr with loss: reshuffled"


RELEASED = MethodRecord(
    "released", "public script", "#56B4E9", "P", "fbftl",
    place=70,
    reads="clients and source",
    sends="nothing",
    axes=("cut", *CLIENTS, "plr", "loss"),
    compresses=False,
    faults=released_faults,
)  # fmt: skip
"""Public script: what the paper's authors released, which sends nothing."""
