"""What parties of a deployed setting are told before it runs, ask and answer, and what arrives.

A study knows every message before it is sent. A server knows what a network brings: an answer is
taken once, from a client that was asked, and if its messages can be read. Anything else is refused
with a sentence. What carries both is the caller's: whatever `Ask` gives back is looked at.

A client is told which rows are its own; the server, who holds which row, and no label.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from fbftl.exchange.post import Parts, Post, Receipt
from fbftl.ground.files import read_json, write_json
from fbftl.messages.encoded import digested_messages
from fbftl.messages.ledger import Ledger
from fbftl.study import methods
from fbftl.study.job import Job, from_params

REQUEST, ANSWER = "request", "answer"
"""Names of the records that requests and answers travel as."""


@dataclass(frozen=True)
class Request:
    """What a server asks of clients.

    clients: ids of those that are asked.
    messages: what goes down with it, encoded, the same to every client.
    round: from 1; 0 for what is sent once.
    largest: samples of the client of the round that has most.
    """

    clients: list[int]
    messages: list[bytes] = field(default_factory=list)
    round: int = 0
    largest: int = 0


@dataclass(frozen=True)
class ClientAnswer:
    """What one client answers to a request.

    client: its id.
    messages: encoded, in the order of its samples where there are several.
    objects: bytes of what carried it, as the server counts them.

    Raises:
        ValueError: if the id is no whole number or the messages are no list of bytes; a network
            brings any types.
    """

    client: int
    messages: list[bytes]
    objects: int = 0

    def __post_init__(self) -> None:
        if type(self.client) is not int:
            raise ValueError("its client is no whole number")
        if type(self.messages) is not list or {*map(type, self.messages)} - {bytes}:
            raise ValueError("its messages are no list of bytes")


Ask = Callable[[Request], Iterable[ClientAnswer]]
"""Sends a request to its clients and yields what comes back, from whoever it is."""

Read = TypeVar("Read")

Reading = Callable[[int, list[bytes]], Read]
"""From a client and its messages to what they say; raises a ValueError where they say nothing."""


@dataclass(frozen=True)
class Arrived(Generic[Read]):
    """An answer that was taken.

    messages: as they came.
    content: what they say.
    """

    messages: list[bytes]
    content: Read


@dataclass
class Exchange:
    """A server's exchange with the clients of one run.

    ask: what carries requests and answers.
    refused: a sentence for each answer that was not taken.
    failed: a sentence for each client that was asked and gave no answer.
    traffic: by client, bytes of the messages that were taken and of the objects that carried them.
    """

    ask: Ask
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    traffic: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def request(self, request: Request, reading: Reading[Read]) -> dict[int, Arrived[Read]]:
        """Ask clients for something; return what arrived by client, in the order of their ids.

        Args:
            request: what is asked.
            reading: gives what a client's messages say.
        """
        arrived: dict[int, Arrived[Read]] = {}
        silent = set(request.clients)
        for answer in self.ask(request):
            client = answer.client
            silent.discard(client)
            try:
                if client not in request.clients:
                    raise ValueError("the client was not asked")
                if client in arrived:
                    raise ValueError("the client has answered before")
                arrived[client] = Arrived(answer.messages, reading(client, answer.messages))
                sent = sum(map(len, answer.messages))
                self.traffic[client].update(messages=sent, objects=answer.objects)
            except ValueError as error:
                self.refused.append(f"an answer of client {client} is refused: {error}")
        when = f" in round {request.round}" if request.round else ""
        self.failed += [f"client {client} gave no answer{when}" for client in sorted(silent)]
        return dict(sorted(arrived.items()))


def enter(
    post: Post, parts: Parts, client: np.ndarray, messages: Sequence[bytes | None], round: int = 0
) -> Receipt:
    """Enter the messages that came into the ledger as a study does; return what the link left.

    Args:
        post: of the run, with the setting's link.
        parts: what each holds, before compression.
        client: (n,) who sends each, or would have.
        messages: (n,) as they came; None for one that did not.
        round: from 1; 0 for what is sent once.
    """
    came = np.flatnonzero([message is not None for message in messages])
    made = digested_messages(message or b"" for message in messages)
    return post.up(parts, client, round, content=made, offered=came)


@dataclass(frozen=True)
class Served:
    """What a server has in the end.

    models: SHA-256 of the model at each point of its curves, as a study's `models` has them.
    accuracy: test accuracy at the chosen point.
    ledger: every message that was sent or asked for.
    """

    models: list[str]
    accuracy: float
    ledger: Ledger

    @classmethod
    def of(cls, record: Mapping[str, Any], ledger: Ledger) -> "Served":
        """Return it from what a score records."""
        return cls(record["models"], record["test_accuracy"], ledger)


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
