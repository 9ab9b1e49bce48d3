"""FedAvg: the server averages weights after local epochs."""

from collections.abc import Iterator
from typing import Literal

from fbftl.study.axes import BY_ROUNDS, SUMS
from fbftl.study.axis import Axes, AxisValues
from fbftl.study.clients import taking_part
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Count
from fbftl.study.record import Block, MethodRecord


class FedAvgAxes(Axes):
    """Axes of FedAvg alone.

    initial_weights: weights of round 1: common has all clients start from one network, own each
        from its own.
    resampled_per_round: samples that every client draws anew in each round from all clients'
        samples; none has them train on their own.
    """

    initial_weights: Literal["common", "own"] = "common"
    resampled_per_round: Count | None = None


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.resampled_per_round is not None and setting.mechanism == "dp_fedavg":
        yield (
            "has clients draw samples in every round, which dp_fedavg cannot count; leave "
            "resampled_per_round out"
        )
    if setting.aggregation == "masked" and setting.mechanism != "none":
        yield (
            f"has mechanism {setting.mechanism} on masked weights, of which the dealer adds none; "
            "use mechanism: none, or aggregation: open"
        )


def size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield what a task has too few samples for."""
    per_round, samples, clients = setting.resampled_per_round or 0, dealt.samples, dealt.clients
    if samples is None or not per_round:
        return
    if clients is not None and dealt.dealing.spec["partition"] == "iid":
        taking = min(samples, taking_part(clients, setting.fraction) * -(-samples // clients))
        if taking < per_round <= samples:
            yield (
                f"has clients draw {per_round} samples of the {taking} of those that take part; "
                f"give resampled_per_round at most {taking}"
            )
    if per_round > samples:
        yield (
            f"has clients draw {per_round} samples in a round of {samples}; give "
            f"resampled_per_round at most {samples}"
        )


RECORD = MethodRecord(
    "fedavg", "FedAvg", "#000000", "*", "fedfeat",
    place=80,
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, "network", "local_epochs", "most_samples", "width", "local_batch",
        "clients_per_round", *SUMS, FedAvgAxes,
    ),
    mechanisms=("none", "relative", "dp_fedavg"),
    faults=faults,
    size_faults=size_faults,
)  # fmt: skip
