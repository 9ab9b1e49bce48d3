"""Write a task's single numbers by name."""

from collections.abc import Sequence

from fbftl.findings.numbers import of_runs, of_uplink
from fbftl.findings.runs import all_runs, read_tidy
from fbftl.ground.files import write_json


def main(experiments: Sequence[str], json: str, uplink: str | None = None) -> None:
    """Write the numbers.

    Args:
        experiments: tidy tables of all experiments of the task.
        json: where the exact numbers go, by name.
        uplink: what each method sends by seed, if the study compares them.
    """
    runs = all_runs(map(read_tidy, experiments))
    numbers = list(of_runs(runs))
    if uplink is not None:
        numbers += of_uplink(runs["task"].iloc[0], read_tidy(uplink))
    write_json(json, dict(numbers))
