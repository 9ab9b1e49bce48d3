"""FedFeat+: FedAvg whose server retrains the classifier on features that clients send."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.axis import Axes, AxisValues, Needs
from fbftl.study.model.block import Positive
from fbftl.study.record import MethodRecord

RETRAINS = Needs("server_epochs above 0", lambda setting: setting.server_epochs > 0)


class FedFeatAxes(Axes):
    """Axes of FedFeat+ alone.

    features_from: extractor behind a client's features: its own in its last_epoch or after it, or
        the averaged one.
    feature_clip: L2 norm to which each sample's features are clipped; none leaves them unbounded.
    client_weighting: weight of clients in the average: by their samples, or equal.
    server_step: how a server retrains the classifier: clients steps as they do, printed and
        released as paper fedfeat and its public code, chosen by held-out features.
    probed: whether a newly fitted classifier measures the averaged extractor in the end.
    """

    features_from: Annotated[Literal["last_epoch", "after", "averaged"], RETRAINS] = "last_epoch"
    feature_clip: Positive | None = None
    client_weighting: Literal["samples", "equal"] = "samples"
    server_step: Annotated[Literal["clients", "printed", "released", "chosen"], RETRAINS] = (
        "clients"
    )
    probed: bool = False


def faults(setting: AxisValues) -> Iterator[str]:
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


RECORD = MethodRecord(
    "fedfeat", "FedFeat+", "#8B4513", "h", "fedfeat",
    place=110,
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, "network", "local_epochs", "server_epochs", "local_batch",
        "clients_per_round", FedFeatAxes,
    ),
    mechanisms=("none", "feature_gaussian", "feature_laplace", "gaussian"),
    faults=faults,
)  # fmt: skip
