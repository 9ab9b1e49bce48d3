"""Rivals of FbFTL that train by rounds: FedProx, SCAFFOLD, and FedAvg on the head."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fbftl.study.axes import BY_ROUNDS, Axes, AxisValues, Needs
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import NotNegative, Positive, PositiveShare
from fbftl.study.record import Block, MethodRecord, keys


class FedProxAxes(Axes):
    """Axes of FedProx alone.

    proximal: weight μ of the proximal term in a client's loss: half the squared distance to the
        weights that the round began with.
    """

    proximal: NotNegative = 0.0


FEDPROX = MethodRecord(
    "fedprox", "FedProx", "#D4AF37", "$P$", "rivals",
    place=90,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", FedProxAxes),
    mechanisms=("none", "relative", "dp_fedavg"),
)  # fmt: skip
"""FedProx: FedAvg with a proximal term in every client's loss."""


SCAFFOLD = MethodRecord(
    "scaffold", "SCAFFOLD", "#5E4FA2", "$C$", "rivals",
    place=100,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples"),
    compresses=False,
)  # fmt: skip
"""SCAFFOLD: FedAvg with control variates at server and clients."""


SOLVED = Needs("start: means", lambda setting: setting.start == "means")


FEWEST_CLASSES = 2
"""Where it is not known how many there are."""


class FedAvgHeadAxes(Axes):
    """Axes of FedAvg on a head alone.

    start: head of round 1: random; zero, with the last layer zero; or means, solved by LDA from
        class means that every client uploads first.
    start_bits: bits q of an element of these means.
    start_keep: keep ratio r of these means.
    client_rate: learning rate of local epochs; null takes the task's own.
    server_optimiser: how the server uses the average of a round: it takes it (average), or steps
        towards it with momentum (FedAvgM) or Adam (FedAdam).
    server_rate: learning rate of the server's steps.
    """

    start: Literal["random", "zero", "means"] = "random"
    start_bits: Annotated[Literal[1, 2, 4, 8, 16, 32], SOLVED] = 32
    start_keep: Annotated[PositiveShare, SOLVED] = 1.0
    client_rate: Positive | None = None
    server_optimiser: Literal["average", "momentum", "adam"] = "average"
    server_rate: Positive = 1.0


def fedavg_head_size_faults(setting: AxisValues, task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield hidden layers that are too narrow for a solved head."""
    units = 2 * (dealt.classes or FEWEST_CLASSES)
    if setting.start == "means" and min(task["head"], default=units) < units:
        yield (
            "starts from a solved head, which takes two units of a hidden layer for each class: "
            f"give head layers of at least {units}, or use start: random"
        )


FEDAVG_HEAD = MethodRecord(
    "fedavg_head", "FedAvg on the head", "#332288", "p", "rivals",
    place=45,
    reads="features",
    sends="local",
    axes=("cut", *BY_ROUNDS, "local_epochs", "local_batch", "clients_per_round", FedAvgHeadAxes),
    block=keys("one_shot"),
    size_faults=fedavg_head_size_faults,
)  # fmt: skip
"""FedAvg on the head: clients train a head on features for local epochs and send its update."""
