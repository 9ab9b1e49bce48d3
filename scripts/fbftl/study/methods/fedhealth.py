"""FedHealth: a network learned on open data, averaged, and adapted by each client in the end."""

from typing import Annotated

from fbftl.study.axes import BY_ROUNDS, OPEN_DATA
from fbftl.study.axis import Axes, Needs
from fbftl.study.model.block import NotNegative, UpToAMillion
from fbftl.study.record import MethodRecord

ADAPTS = Needs("adaptation_epochs", lambda setting: setting.adaptation_epochs > 0)


class FedHealthAxes(Axes):
    """Axes of FedHealth alone.

    adaptation_epochs: epochs in which a client adapts the last layers to itself in the end.
    coral_weight: weight eta of the distance between the second moments of a client's and of the
        source's features while it adapts.
    """

    adaptation_epochs: UpToAMillion = 0
    coral_weight: Annotated[NotNegative, ADAPTS] = 0.0


RECORD = MethodRecord(
    "fedhealth", "FedHealth", "#1B7837", "$H$", "survey",
    place=130,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", *OPEN_DATA, FedHealthAxes),
    compresses=False,
    further=("open_data",),
)  # fmt: skip
