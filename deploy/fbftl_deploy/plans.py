"""What each party of a run is told before it starts: a file of its own, and nothing of the others.

A client's plan has the rows that are its own; the server's has who holds which row, and no label.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.ground.files import read_json, write_json
from fbftl.study.job import Job, from_params

ARRIVED = ".arrived"
"""Ending of the file beside a server's outcome that has a line for every answer that arrived."""


@dataclass(frozen=True)
class Dealer:
    """Where the dealer of masked sums listens, on the loopback.

    port: of 127.0.0.1.
    token: word in hex by which it knows who calls.
    """

    port: int
    token: str


@dataclass(frozen=True)
class Setting:
    """What all parties know of a run.

    params: the job, as the workflow passes it.
    axes: the axes that its method knows, with their defaults.
    seed: of the repetition.
    run: word that no other run has.
    classes: number of classes N.
    samples, members: training samples of the task, and the clients that they are of.
    taking_part: clients that take part.
    exact: whether arithmetic is pinned, as the study's jobs pin theirs.
    repeat: whether masks and noise are the study's, which protects nobody.
    """

    params: Mapping[str, Any]
    axes: Mapping[str, Any]
    seed: int
    run: str
    classes: int
    samples: int
    members: int
    taking_part: int
    exact: bool
    repeat: bool

    @cached_property
    def job(self) -> Job:
        """The setting with its training values."""
        return from_params(self.params, {self.params["setting"]["method"]: self.axes})


@dataclass(frozen=True)
class ClientPlan:
    """What one client is told.

    client: its id.
    position: its place among those that take part.
    rows: those of the task that it holds and sends or trains on.
    source: features, of the cached store, or images, of the client file through the extractor.
    features: the task's block of that name, where features are extracted.
    files: by the names of `fbftl.tasks.task.Inputs`.
    dealer: of masked sums.
    """

    setting: Setting
    client: int
    position: int
    rows: list[int]
    source: str
    features: Mapping[str, Any]
    files: Mapping[str, str]
    dealer: Dealer | None = None


@dataclass(frozen=True)
class ServerPlan:
    """What the server is told.

    client: (n,) client of each training row.
    files: by the names of `fbftl.tasks.task.Inputs`.
    outcome: file to write in the end.
    ledger: file of the ledger.
    patience: seconds to wait for the answers to a request.
    dealer: of masked sums.
    """

    setting: Setting
    client: list[int]
    files: Mapping[str, str]
    outcome: str
    ledger: str
    patience: float
    dealer: Dealer | None = None

    @property
    def owner(self) -> np.ndarray:
        """Client of each training row, (n,)."""
        return np.array(self.client, dtype=np.int64)


@dataclass(frozen=True)
class DealerPlan:
    """What the dealer is told.

    port: of 127.0.0.1 where it listens.
    tokens: word in hex by which it knows each client, by its id.
    server: word of the server.
    secret: 32 bytes in hex that all masks follow from.
    """

    port: int
    server: str
    secret: str
    tokens: Mapping[str, str] = field(default_factory=dict)


def write(path: Path, plan: Any) -> None:
    """Write a plan, which nobody but the user may read."""
    path.touch(mode=0o600)
    write_json(path, asdict(plan))
    path.chmod(0o600)


def read_client(path: str | Path) -> ClientPlan:
    """Return a client's plan."""
    return ClientPlan(**_with_parts(read_json(path, "plan of a client")))


def read_server(path: str | Path) -> ServerPlan:
    """Return the server's plan."""
    return ServerPlan(**_with_parts(read_json(path, "plan of a server")))


def read_dealer(path: str | Path) -> DealerPlan:
    """Return the dealer's plan."""
    return DealerPlan(**read_json(path, "plan of a dealer"))


def _with_parts(document: dict[str, Any]) -> dict[str, Any]:
    dealer = document["dealer"]
    return document | {
        "setting": Setting(**document["setting"]),
        "dealer": None if dealer is None else Dealer(**dealer),
    }
