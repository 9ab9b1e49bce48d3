"""FedProx: FedAvg with a proximal term in every client's loss."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.axis import Axes
from fbftl.study.model.block import NotNegative
from fbftl.study.record import MethodRecord


class FedProxAxes(Axes):
    """Axes of FedProx alone.

    proximal: weight μ of half the squared distance to the round's first weights in a client's loss.
    """

    proximal: NotNegative = 0.0


RECORD = MethodRecord(
    "fedprox", "FedProx", "#D4AF37", "$P$", "rivals",
    place=90,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", FedProxAxes),
    mechanisms=("none", "relative", "dp_fedavg"),
)  # fmt: skip
