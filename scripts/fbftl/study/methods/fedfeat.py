"""FedFeat+: FedAvg whose server retrains the classifier on features that clients send."""

from collections.abc import Iterator

from fbftl.study.axes import (
    BY_ROUNDS,
    CLIENTS_PER_ROUND,
    LOCAL_BATCH,
    LOCAL_EPOCHS,
    NETWORK,
    SERVER_EPOCHS,
)
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.record import MethodRecord

RETRAINS = Needs("server_epochs above 0", lambda setting: setting.server_epochs > 0)

AXES = (
    Axis(
        "features_from", str, "last_epoch",
        "extractor behind a client's features: its own in its last_epoch or after it, or the "
        "averaged one.",
        ("last_epoch", "after", "averaged"),
        (RETRAINS,),
    ),
    Axis(
        "feature_clip", float, None,
        "L2 norm to which each sample's features are clipped; none leaves them unbounded.",
        Numbers(above=0, most=1_000_000),
    ),
    Axis(
        "client_weighting", str, "samples",
        "what clients count by in the average: their samples, or all equal.",
        ("samples", "equal"),
    ),
    Axis(
        "server_step", str, "clients",
        "how a server retrains the classifier: clients steps as they do, printed and released as "
        "paper fedfeat and its public code, chosen by held-out features.",
        ("clients", "printed", "released", "chosen"),
        (RETRAINS,),
    ),
    Axis(
        "probed", bool, False,
        "whether a classifier fitted afresh tells in the end how good the averaged extractor is.",
    ),
)  # fmt: skip


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


def unprotected(setting: AxisValues) -> str | None:
    """Return what clients send beside features under noise that bounds what these tell."""
    noisy = setting.mechanism == "gaussian"
    return "weights that were trained on the same samples are sent without noise" if noisy else None


RECORD = MethodRecord(
    "fedfeat", "FedFeat+", "#8B4513", "h", "fedfeat",
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, NETWORK, LOCAL_EPOCHS, SERVER_EPOCHS, LOCAL_BATCH, CLIENTS_PER_ROUND, *AXES,
    ),
    mechanisms=("none", "feature_gaussian", "feature_laplace", "gaussian"),
    faults=faults,
    unprotected=unprotected,
)  # fmt: skip
