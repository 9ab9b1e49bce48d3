"""What the parties of a deployed setting are told before it runs, a file of its own to each.

A client is told which rows are its own; the server, who holds which row, and no label.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from fbftl.ground.files import read_json, write_json
from fbftl.study import methods
from fbftl.study.job import Job, from_params

OUTCOME, LEDGER = "outcome.json", "ledger.parquet"
"""Files that a server writes into the folder of its plan."""


@dataclass(frozen=True)
class DeployedSetting:
    """What all parties know.

    params: the job, as the workflow passes it.
    seed: of the repetition.
    classes: number of classes N.
    repeat: whether noise is the study's, which protects nobody.
    """

    params: Mapping[str, Any]
    seed: int
    classes: int
    repeat: bool

    @cached_property
    def job(self) -> Job:
        """The setting with its training values."""
        return from_params(self.params, methods.axes_by_method())


@dataclass(frozen=True)
class ClientPlan:
    """What one client is told.

    client: its id.
    position: its place among those that take part.
    rows: those of the task that it holds and sends or trains on.
    files: by the names of `fbftl.training.tasks.task.Inputs`.
    """

    setting: DeployedSetting
    client: int
    position: int
    rows: list[int]
    files: Mapping[str, str]


@dataclass(frozen=True)
class ServerPlan:
    """What the server is told.

    client, sample: (n,) client of each training row, and its number in the data set.
    taking_part: ids of the clients that take part.
    files: by the names of `fbftl.training.tasks.task.Inputs`.
    patience: seconds to wait for clients, and for their answers to a request.
    """

    setting: DeployedSetting
    client: list[int]
    sample: list[int]
    taking_part: list[int]
    files: Mapping[str, str]
    patience: float


def protected_by_a_study(job: Job) -> Iterator[str]:
    """Yield what protects a setting's messages in a study alone, as reasons not to deploy it."""
    if job.setting.mechanism != "none":
        yield "its noise is drawn from the study's generator, which protects nobody"
    if job.setting.values.get("aggregation", "open") != "open":
        yield "its sums are masked under a trusted dealer's keys, which only a study models"


Plan = TypeVar("Plan", ClientPlan, ServerPlan)


def write_plan(path: Path, plan: ClientPlan | ServerPlan) -> None:
    """Write a party's plan."""
    write_json(path, asdict(plan))


def read_plan(path: str | Path, kind: type[Plan]) -> Plan:
    """Return a party's plan."""
    document = read_json(path, "plan of a party")
    return kind(**document | {"setting": DeployedSetting(**document["setting"])})
