"""FedMD: clients with networks of their own learn from a consensus on open samples."""

from collections.abc import Iterator
from typing import Literal

from fbftl.study.axes import CLIENTS, LINK, OPEN_DATA
from fbftl.study.axis import Axes, AxisValues
from fbftl.study.model.block import Many, Positive
from fbftl.study.record import Block, MethodRecord, nobody_to_learn_from


class FedMDAxes(Axes):
    """Axes of FedMD alone.

    digest_rate: learning rate of learning from the consensus, over that of the samples.
    digest_loss: distance of scores to the consensus: squared or absolute, mean over the classes.
    alignment_samples: open samples that are scored in a round, drawn anew; none takes all of them.
    """

    digest_rate: Positive = 1.0
    digest_loss: Literal["squared", "absolute"] = "squared"
    alignment_samples: Many | None = None


def task_faults(setting: AxisValues, task: Block, _training: Block) -> Iterator[str]:
    """Yield that a task has fewer open letters than are to be scored in a round."""
    count, letters = setting.alignment_samples, (task.get("open_data") or {}).get("letters")
    if count and letters and setting.public_data == "source" and count > letters:
        yield f"give open_data.letters at least {count:,}, or alignment_samples at most {letters:,}"


RECORD = MethodRecord(
    "fedmd", "FedMD", "#666666", "$M$", "survey",
    place=140,
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, "local_epochs", "most_samples", *OPEN_DATA, FedMDAxes),
    compresses=False,
    task_faults=task_faults,
    size_faults=nobody_to_learn_from,
    further=("open_data", "architectures"),
    ignores=("annealing", "absent_classes"),
)  # fmt: skip
