"""FD: clients exchange mean logits of their classes, and may augment their samples."""

from fbftl.study.axes import CLIENTS, LINK, LOCAL_EPOCHS, MOST_SAMPLES, NETWORK
from fbftl.study.axis import Axis, Numbers
from fbftl.study.record import MethodRecord, nobody_to_learn_from

AXES = (
    Axis(
        "distillation_weight", float, 0.0,
        "weight of the teachers' part in a client's loss.",
        Numbers(least=0, most=1_000_000),
    ),
    Axis(
        "seed_samples", int, 0,
        "raw samples that a client sends at most, for the server to make a generator of.",
        Numbers(least=0, most=1_000_000),
    ),
)  # fmt: skip

RECORD = MethodRecord(
    "fd", "FD", "#7570B3", "$D$", "survey",
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, NETWORK, LOCAL_EPOCHS, MOST_SAMPLES, *AXES),
    compresses=False,
    size_faults=nobody_to_learn_from,
)  # fmt: skip
