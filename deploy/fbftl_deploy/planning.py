"""From a setting of a study and its finished features to what each party of a run is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from fbftl.data.participation import clients_of, grouped, participating
from fbftl.exchange.arrivals import ClientPlan, DeployedSetting, ServerPlan
from fbftl.exchange.served_rounds import taking_part
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared
from fbftl.study import methods
from fbftl.study.job import Job, from_params
from fbftl.training.tasks.images import partition_in

MOST_CLIENTS, MOST_ROUNDS = 16, 20
"""More are left to studies: every client starts a process in each round."""

DEPLOYABLE = ("fbftl", "one_shot", "ftl_c", "fedavg")


@dataclass(frozen=True)
class Order:
    """What a user asks for.

    task, setting: by their names in the study.
    seed: of the repetition.
    clients: how many there are, the first by their ids; None for all.
    repeat: whether noise is the study's, so that the run repeats it.
    patience: seconds that the server waits for clients, and for their answers to a request.
    """

    task: str
    setting: str
    seed: int = 0
    clients: int | None = None
    repeat: bool = False
    patience: float = 600.0


@dataclass(frozen=True)
class Plans:
    """What the parties of a run are told.

    whole: whether all clients of the study are there.
    """

    server: ServerPlan
    clients: list[ClientPlan]
    whole: bool


def plan(prepared: Prepared, order: Order) -> Plans:
    """Return what the parties of a run are told.

    Args:
        prepared: study that has the setting.
        order: what is asked for.

    Raises:
        UserError: if the setting cannot be deployed, or its features are not there yet.
    """
    params = prepared.call.study.job(order.task, order.setting)
    require_deployable(order, from_params(params, methods.axes_by_method()))
    return parties(params, prepared.files(order.task, order.setting), order)


def parties(params: Mapping[str, Any], files: Mapping[str, str], order: Order) -> Plans:
    """Return what the parties of a job that can be deployed are told.

    Args:
        params: the job, as the workflow passes it.
        files: that it reads, by the names of `fbftl.training.tasks.task.Inputs`.
        order: what is asked for.

    Raises:
        UserError: if more clients take part than processes are started on one machine, or in more
            rounds.
    """
    store = open_store(files["manifest"])
    partition = partition_in(store)
    classes = 1 + int(max(partition.labels.max(), np.asarray(store.labels("test")).max()))
    setting = DeployedSetting(params, order.seed, classes, order.repeat)
    everyone = clients_of(setting.job, partition, order.seed)
    here = np.flatnonzero(np.isin(everyone, np.unique(everyone)[: order.clients]))
    client = everyone[here]
    owners, rows = members_of(setting.job, client, order.seed)
    require_few(order, setting.job, len(owners))
    clients = [
        ClientPlan(setting, owner, position, here[rows[position]].tolist(), files)
        for position, owner in enumerate(owners.tolist())
    ]
    sample = np.asarray(store.samples("train"))[here].tolist()
    told = (client.tolist(), sample, owners.tolist())
    server = ServerPlan(setting, *told, files, order.patience)
    return Plans(server, clients, len(here) == len(everyone))


def require_deployable(order: Order, job: Job) -> None:
    """Refuse what cannot be deployed, with the reason.

    Raises:
        UserError: naming the setting.
    """
    method = job.setting.method
    if job.kind != "images" or method not in DEPLOYABLE:
        raise UserError(
            f"{order.setting} on {order.task} is not deployed: the methods that are, on samples "
            f"with a class each, are {', '.join(DEPLOYABLE)}"
        )
    if order.seed not in job.seeds:
        raise UserError(
            f"{order.task} has no seed {order.seed}; give --seed one of "
            f"{', '.join(map(str, job.seeds))}"
        )
    for reason in import_module(f"fbftl.methods.{method}.deployed").obstacles(job):
        raise UserError(f"{order.setting} is not deployed: {reason}")


def require_few(order: Order, job: Job, clients: int) -> None:
    """Refuse more clients or rounds than are deployed on one machine.

    Raises:
        UserError: with the numbers, and what to do.
    """
    rounds = 1 if sends_once(job) else prod(job.network_training.pace(clients))
    if clients > MOST_CLIENTS or rounds > MOST_ROUNDS:
        raise UserError(
            f"{order.setting} takes {clients} clients and {rounds} rounds, each a process at every "
            f"client; at most {MOST_CLIENTS} and {MOST_ROUNDS} are deployed on one machine: give "
            "fewer --clients, or leave it to the study"
        )


def sends_once(job: Job) -> bool:
    """Tell whether clients send one message, not one a round."""
    return methods.record(job.setting.method).sends == "once"


def members_of(job: Job, client: np.ndarray, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients that take part, and the rows that each sends or trains on."""
    if sends_once(job):
        return grouped(participating(client, job.setting.fraction, seed), client)
    return taking_part(job, client, seed)
