"""FedMD: clients with networks of their own learn from a consensus on open samples."""

from collections.abc import Iterator

from fbftl.study.axes import CLIENTS, LINK, LOCAL_EPOCHS, MOST_SAMPLES, OPEN_DATA
from fbftl.study.axis import Axis, AxisValues, Numbers
from fbftl.study.record import Block, MethodRecord, nobody_to_learn_from

DIGEST = (
    Axis(
        "digest_rate", float, 1.0,
        "the learning rate with which a consensus is digested over that of the samples.",
        Numbers(above=0, most=1_000_000),
    ),
    Axis(
        "digest_loss", str, "squared",
        "distance of scores to the consensus: squared or absolute, mean over the classes.",
        ("squared", "absolute"),
    ),
    Axis(
        "alignment_samples", int, None,
        "open samples that are scored in a round, drawn anew; none takes all of them.",
        Numbers(least=1, most=1_000_000),
    ),
)  # fmt: skip


def task_faults(setting: AxisValues, task: Block, _training: Block) -> Iterator[str]:
    """Yield that a task has fewer open letters than are to be scored in a round."""
    count, letters = setting.alignment_samples, (task.get("open_data") or {}).get("letters")
    if count and letters and setting.public_data == "source" and count > letters:
        yield f"give open_data.letters at least {count:,}, or alignment_samples at most {letters:,}"


RECORD = MethodRecord(
    "fedmd", "FedMD", "#666666", "$M$", "survey",
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, LOCAL_EPOCHS, MOST_SAMPLES, *OPEN_DATA, *DIGEST),
    compresses=False,
    task_faults=task_faults,
    size_faults=nobody_to_learn_from,
    further=("open_data", "architectures"),
)  # fmt: skip
