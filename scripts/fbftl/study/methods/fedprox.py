"""FedProx: FedAvg with a proximal term in every client's loss."""

from fbftl.study.axes import BY_ROUNDS, LOCAL_EPOCHS, MOST_SAMPLES, NETWORK
from fbftl.study.axis import Axis, Numbers
from fbftl.study.record import MethodRecord

PROXIMAL = Axis(
    "proximal", float, 0.0,
    "weight μ of half the squared distance to the round's first weights in a client's loss.",
    Numbers(least=0, most=1_000_000),
)  # fmt: skip

RECORD = MethodRecord(
    "fedprox", "FedProx", "#D4AF37", "$P$", "rivals",
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, NETWORK, LOCAL_EPOCHS, MOST_SAMPLES, PROXIMAL),
    mechanisms=("none", "relative", "dp_fedavg"),
)  # fmt: skip
