"""FD: clients exchange mean logits of their classes, and may augment their samples."""

from fbftl.study.axes import CLIENTS, LINK
from fbftl.study.axis import Axes
from fbftl.study.model.block import NotNegative, UpToAMillion
from fbftl.study.record import MethodRecord, nobody_to_learn_from


class FDAxes(Axes):
    """Axes of FD alone.

    distillation_weight: weight of the teachers' part in a client's loss.
    seed_samples: raw samples that a client sends at most, for the server to make a generator of.
    """

    distillation_weight: NotNegative = 0.0
    seed_samples: UpToAMillion = 0


RECORD = MethodRecord(
    "fd", "FD", "#7570B3", "$D$", "survey",
    place=150,
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, "network", "local_epochs", "most_samples", FDAxes),
    compresses=False,
    size_faults=nobody_to_learn_from,
    ignores=("annealing", "absent_classes"),
)  # fmt: skip
