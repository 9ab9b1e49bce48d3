"""Drawn settings of a kept study, made again elsewhere and held against their kept digests."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.findings.kept import Digests
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.randomness import stream

DRAWN = 3
"""Settings that are made again."""


@dataclass(frozen=True)
class KeptRun:
    """A run file of a kept study.

    task, setting: whose run it is.
    seeds: of its repetitions.
    sha256: of the kept study's file.
    """

    task: str
    setting: str
    seeds: tuple[int, ...]
    sha256: str

    @property
    def path(self) -> str:
        """Where the workflow writes it, below the folder in which it runs."""
        return f"results/{self.task}/runs/{self.setting}.json"


def kept_runs(made: dict[str, Any], name: str) -> list[KeptRun]:
    """Return the runs that the notes of a kept study have digests of, by task and setting.

    Args:
        made: what its `made.json` says.
        name: of the study, for the sentence.

    Raises:
        UserError: if there are none.
    """
    digests: Digests = made.get("runs", {})
    runs = [
        KeptRun(task, setting, tuple(kept["seeds"]), kept["sha256"])
        for task, of_task in sorted(digests.items())
        for setting, kept in sorted(of_task.items())
    ]
    if not runs:
        raise UserError(
            f"the kept results of {name} have no digests of runs; run the study and renew them"
        )
    return runs


def drawn(runs: list[KeptRun], seed: int) -> list[KeptRun]:
    """Return some runs of a kept study, drawn by a seed without replacement."""
    count = min(DRAWN, len(runs))
    chosen = stream(seed, "verified settings").choice(len(runs), size=count, replace=False)
    return [runs[index] for index in sorted(chosen)]


def differing(runs: Iterable[KeptRun], folder: Path) -> dict[KeptRun, str]:
    """Return the runs whose files in another folder have another digest, with what they have.

    Args:
        runs: of a kept study.
        folder: in which they were made again.
    """
    digests = {run: sha256(folder / run.path) for run in runs}
    return {run: digest for run, digest in digests.items() if digest != run.sha256}
