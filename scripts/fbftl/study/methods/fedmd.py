"""FedMD: clients with networks of their own learn from a consensus on open samples."""

from fbftl.study.axes import CLIENTS, LINK, LOCAL_EPOCHS, MOST_SAMPLES, OPEN_DATA
from fbftl.study.axis import Axis, Numbers
from fbftl.study.record import MethodRecord, nobody_to_learn_from

DIGEST_RATE = Axis(
    "digest_rate", float, 1.0,
    "the learning rate with which a consensus is digested over that of the samples.",
    Numbers(above=0, most=1_000_000),
)  # fmt: skip

RECORD = MethodRecord(
    "fedmd", "FedMD", "#666666", "$M$", "survey",
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, LOCAL_EPOCHS, MOST_SAMPLES, *OPEN_DATA, DIGEST_RATE),
    compresses=False,
    size_faults=nobody_to_learn_from,
    further=("open_data", "architectures"),
)  # fmt: skip
