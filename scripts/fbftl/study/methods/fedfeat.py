"""Methods of paper fedfeat: FedAvg, and servers that retrain the classifier on features."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fbftl.study.axes import BY_ROUNDS, SUMS, Axes, AxisValues, Needs
from fbftl.study.clients import taking_part
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Count, Positive
from fbftl.study.record import Block, MethodRecord


class FedAvgAxes(Axes):
    """Axes of FedAvg alone.

    initial_weights: weights of round 1: common has all clients start from one network, own each
        from its own.
    resampled_per_round: samples that every client draws anew in each round from the samples of all
        clients; null trains on the client's own.
    """

    initial_weights: Literal["common", "own"] = "common"
    resampled_per_round: Count | None = None


def fedavg_faults(setting: AxisValues) -> Iterator[str]:
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


def fedavg_size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
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


FEDAVG = MethodRecord(
    "fedavg", "FedAvg", "#000000", "*", "fedfeat",
    place=80,
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, "network", "local_epochs", "most_samples", "width", "local_batch",
        "clients_per_round", *SUMS, FedAvgAxes,
    ),
    mechanisms=("none", "relative", "dp_fedavg"),
    faults=fedavg_faults,
    size_faults=fedavg_size_faults,
)  # fmt: skip
"""FedAvg: clients train for local epochs, and the server averages their weights."""


RETRAINS = Needs("server_epochs above 0", lambda setting: setting.server_epochs > 0)


class FedFeatAxes(Axes):
    """Axes of FedFeat+ alone.

    features_from: extractor that computes the features that a client sends: its own during its
        last_epoch or after it, or the averaged one.
    feature_clip: L2 norm to which each sample's features are clipped; null does not clip.
    client_weighting: weight of a client in the average: its number of samples, or equal.
    server_step: how the server retrains the classifier: clients, with the clients' step; printed,
        as in the paper; released, as in its public code; chosen, by held-out features.
    probed: whether a newly trained classifier measures the final averaged extractor.
    """

    features_from: Annotated[Literal["last_epoch", "after", "averaged"], RETRAINS] = "last_epoch"
    feature_clip: Positive | None = None
    client_weighting: Literal["samples", "equal"] = "samples"
    server_step: Annotated[Literal["clients", "printed", "released", "chosen"], RETRAINS] = (
        "clients"
    )
    probed: bool = False


def fedfeat_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what noise and features say against each other."""
    mechanism = setting.mechanism
    if mechanism in ("feature_gaussian", "feature_laplace") and setting.epsilon is None:
        yield f"has mechanism {mechanism}, whose noise is printed by epsilon; give epsilon"
    if mechanism == "gaussian" and setting.feature_clip is None:
        yield "has mechanism gaussian, which bounds nothing without a clip norm; give feature_clip"
    if mechanism == "gaussian" and setting.server_epochs == 0:
        yield (
            "has mechanism gaussian on features that nobody asks for; give server_epochs at least "
            "1, or the printed noise, under which clients train too"
        )


FEDFEAT = MethodRecord(
    "fedfeat", "FedFeat+", "#8B4513", "h", "fedfeat",
    place=110,
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, "network", "local_epochs", "server_epochs", "local_batch",
        "clients_per_round", FedFeatAxes,
    ),
    mechanisms=("none", "feature_gaussian", "feature_laplace", "gaussian"),
    faults=fedfeat_faults,
)  # fmt: skip
"""FedFeat+: FedAvg whose server retrains the classifier on features that clients send."""


CCVR = MethodRecord(
    "ccvr", "CCVR", "#999933", "p", "fedfeat",
    place=160,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "server_epochs", *SUMS),
    compresses=False,
)  # fmt: skip
"""CCVR: FedAvg whose server calibrates the classifier on features drawn from statistics."""
