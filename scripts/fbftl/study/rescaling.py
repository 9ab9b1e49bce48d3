"""What bases need of a task so that their layers can be rescaled."""

from collections.abc import Iterator

from fbftl.study.axis import AxisValues
from fbftl.study.record import Block


def normalised_faults(setting: AxisValues, task: Block, training: Block) -> Iterator[str]:
    """Yield what rescaled layers lack of a task."""
    named = task.get("networks", {}).get(setting.network) or {}
    if setting.rescaled_layers and (
        named.get("norm") != "batch" or training["batch_norm"] != "batch"
    ):
        yield (
            "divides outputs that batches normalise by rescaled_layers: name a network with norm: "
            "batch, and set training.batch_norm: batch"
        )
