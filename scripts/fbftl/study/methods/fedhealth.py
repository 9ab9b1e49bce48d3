"""FedHealth: a network learned on open data, averaged, and adapted by each client in the end."""

from dataclasses import replace

from fbftl.study.axes import (
    BY_ROUNDS,
    LOCAL_EPOCHS,
    MOST_SAMPLES,
    NETWORK,
    OPEN_DATA,
    PROTECTION,
)
from fbftl.study.axis import Axis, Needs, Numbers
from fbftl.study.record import MethodRecord

ADAPTATION_EPOCHS = Axis(
    "adaptation_epochs", int, 0,
    "epochs in which a client adapts the last layers to itself in the end.",
    Numbers(least=0, most=1_000_000),
)  # fmt: skip

ADAPTS = Needs("adaptation_epochs", lambda setting: setting.adaptation_epochs > 0)

CORAL_WEIGHT = Axis(
    "coral_weight", float, 0.0,
    "weight eta of the distance between the second moments of a client's and of the source's "
    "features while it adapts.",
    Numbers(least=0, most=1_000_000),
    (ADAPTS,),
)  # fmt: skip

RECORD = MethodRecord(
    "fedhealth", "FedHealth", "#1B7837", "$H$", "survey",
    reads="clients and source",
    sends="local",
    axes=(
        *BY_ROUNDS, NETWORK, LOCAL_EPOCHS, MOST_SAMPLES, *OPEN_DATA, ADAPTATION_EPOCHS,
        CORAL_WEIGHT, replace(PROTECTION, values=("plain", "ckks")),
    ),
    compresses=False,
    further=("open_data",),
)  # fmt: skip
