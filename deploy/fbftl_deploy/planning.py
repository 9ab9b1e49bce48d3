"""From a setting of a study and its finished features to what each party of a run is told."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.participation import clients_of, grouped, participating
from fbftl.exchange.served_rounds import taking_part
from fbftl.features.store.opening import open_store
from fbftl.ground.errors import UserError
from fbftl.ground.exact import is_pinned, this_machine
from fbftl.privacy import masking
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.job import Job, from_params
from fbftl.tasks.images import partition_in

from fbftl_deploy.plans import ClientPlan, Dealer, DealerPlan, ServerPlan, Setting

MOST_ROUNDS = 20
"""A method of more rounds is left to studies: each starts a process at every client."""

MOST_CLIENTS = 32
"""More processes than that are no use on one machine."""

PATIENCE_SECONDS = 600.0
"""That a server waits for its clients, and for their answers to a request."""

OF_CUT = {"manifest": "features", "network": "network"}
"""Files of a cut; those of further cuts are in folders of these names."""

DEPLOYABLE = ("fbftl", "one_shot", "ftl_c", "fedavg")


@dataclass(frozen=True)
class Order:
    """What a user asks for.

    task, setting: by their names in the study.
    seed: of the repetition.
    clients: how many there are, the first by their ids; None for all.
    source: features or images.
    repeat: whether masks and noise are the study's, so that the run repeats it.
    patience: seconds that the server waits for clients, and for their answers to a request.
    """

    task: str
    setting: str
    seed: int
    clients: int | None = None
    source: str = "features"
    repeat: bool = False
    patience: float = PATIENCE_SECONDS


@dataclass(frozen=True)
class Plans:
    """What the parties of a run are told, and what the run is compared with.

    whole: whether all clients of the study are there.
    """

    server: ServerPlan
    clients: list[ClientPlan]
    dealer: DealerPlan | None
    whole: bool


def plan(study: Study, order: Order, results: Path, folder: Path, dealer_port: int) -> Plans:
    """Return what the parties of a run are told.

    Args:
        study: that has the setting.
        order: what is asked for.
        results: the study's folder of results.
        folder: where the run writes.
        dealer_port: where a dealer listens, if the setting has one.

    Raises:
        UserError: if the setting cannot be deployed, or its features are not there yet.
    """
    params = study.job(order.task, order.setting)
    method = params["setting"]["method"]
    axes = methods.axes_by_method()[method]
    job = from_params(params, {method: axes})
    require_deployable(order, job)
    files = files_of(study, order, results, job)
    exact = is_pinned(study.config["exact"], "cpu", this_machine())
    features = study.task(order.task)["features"]
    return parties(params, files, features, order, exact, folder, dealer_port)


def parties(
    params: Mapping[str, Any],
    files: Mapping[str, str],
    features: Mapping[str, Any],
    order: Order,
    exact: bool,
    folder: Path,
    dealer_port: int,
) -> Plans:
    """Return what the parties of a job that can be deployed are told.

    Args:
        params: the job, as the workflow passes it.
        files: that it reads, by the names of `fbftl.tasks.task.Inputs`.
        features: the task's block of that name.
        order: what is asked for.
        exact: whether arithmetic is pinned.
        folder: where the run writes.
        dealer_port: where a dealer listens, if the setting has one.

    Raises:
        UserError: if more clients take part than processes are started on one machine, or in more
            rounds.
    """
    method = params["setting"]["method"]
    axes = methods.axes_by_method()[method]
    job = from_params(params, {method: axes})
    store = open_store(files["manifest"])
    partition = partition_in(store)
    test = np.asarray(store.labels("test"))
    classes = 1 + int(max(partition.labels.max(), test.max()))
    everyone = clients_of(job, partition, order.seed)
    here = np.flatnonzero(np.isin(everyone, np.unique(everyone)[: order.clients]))
    client = everyone[here]
    owners, rows = members_of(job, client, order.seed)
    if len(owners) > MOST_CLIENTS:
        raise UserError(
            f"{order.setting} has {len(owners)} clients, and {MOST_CLIENTS} processes at most are "
            f"started on one machine; give --clients {MOST_CLIENTS} or fewer"
        )
    if (rounds := rounds_of(job, len(owners))) > MOST_ROUNDS:
        raise UserError(
            f"{order.setting} takes {rounds} rounds of {len(owners)} clients, and {MOST_ROUNDS} "
            "are the most that is deployed: each starts a process at every client; leave it to "
            "the study, or give --clients fewer"
        )
    members = len(np.unique(client))
    facts = (classes, len(client), members, len(owners))
    setting = Setting(params, axes, order.seed, secrets.token_hex(8), *facts, exact, order.repeat)
    tokens = {str(number): secrets.token_hex(16) for number in owners.tolist()}
    dealer = None
    if getattr(job.setting, "aggregation", "open") == "masked":
        dealer = dealer_of(order, dealer_port, tokens)
    read = [name for name in needed_by_client(job, order.source) if name in files]
    clients = [
        ClientPlan(
            setting=setting,
            client=number,
            position=position,
            rows=here[rows[position]].tolist(),
            source="images" if method == "fedavg" else order.source,
            features=features,
            files={name: files[name] for name in read},
            dealer=None if dealer is None else Dealer(dealer_port, tokens[str(number)]),
        )
        for position, number in enumerate(owners.tolist())
    ]
    server = ServerPlan(
        setting=setting,
        client=client.tolist(),
        files=dict(files),
        outcome=str(folder / "outcome.json"),
        ledger=str(folder / "ledger.parquet"),
        patience=order.patience,
        dealer=None if dealer is None else Dealer(dealer_port, dealer.server),
    )
    return Plans(server, clients, dealer, len(here) == len(everyone))


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
    if method == "one_shot" and job.setting.message == "features":
        raise UserError(f"{order.setting} sends what FbFTL sends; deploy a setting of fbftl")
    reasons = list(import_module(f"fbftl.methods.{method}.serving").obstacles(job))
    if reasons:
        raise UserError(f"{order.setting} is not deployed: {reasons[0]}")


def rounds_of(job: Job, clients: int) -> int:
    """Return the rounds that a setting of so many clients takes; 0 where they send once."""
    if methods.record(job.setting.method).sends == "once":
        return 0
    steps, points = job.network_training.pace(clients)
    return steps * points


def members_of(job: Job, client: np.ndarray, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients that take part, and the rows that each sends or trains on."""
    if methods.record(job.setting.method).sends == "once":
        return grouped(participating(client, job.setting.fraction, seed), client)
    owners, rows, _ = taking_part(job, client, seed)
    return owners, rows


def needed_by_client(job: Job, source: str) -> tuple[str, ...]:
    """Return the names of the files that a client reads."""
    if job.setting.method == "fedavg":
        return ("manifest", "clients", "source")
    public = ("public_manifest",)
    images = ("clients", "weights", "source") if source == "images" else ()
    return ("manifest", "network", *images, *public)


def modules_of(method: str) -> list[str]:
    """Return the modules of the library that a client of a method imports; torch for rounds."""
    once = methods.record(method).sends == "once"
    further = "fbftl.exchange.sending" if once else "fbftl.tasks.party"
    return ["fbftl.features.store.opening", further, f"fbftl.methods.{method}.answering"]


def files_of(study: Study, order: Order, results: Path, job: Job) -> dict[str, str]:
    """Return the files that the parties read, by the names of `fbftl.tasks.task.Inputs`.

    Raises:
        UserError: if one is not there, with how it is made.
    """
    folder = (results / order.task).resolve()
    cut = job.setting.cut if "cut" in job.setting.values else None
    own_cut = study.task(order.task)["features"]["cut"]
    further = "" if cut in (None, own_cut) else f"/{cut}"
    paths = {name: folder / f"{file}{further}.json" for name, file in OF_CUT.items()}
    if job.setting.method == "fedavg" or order.source == "images":
        paths |= {
            "clients": folder / "clients.h5",
            "weights": folder / "source.safetensors",
            "source": folder / "source.json",
        }
    if study.needs_public(order.task, order.setting):
        paths["public_manifest"] = folder / "public.json"
    for path in paths.values():
        if not path.is_file():
            raise UserError(
                f"{path} is missing: the setting was never run; make it first with snakemake "
                f"--cores 1 'results/{order.task}/runs/{order.setting}.json'"
            )
    return {name: str(path) for name, path in paths.items()}


def dealer_of(order: Order, port: int, tokens: dict[str, str]) -> DealerPlan:
    """Return what a dealer is told: a secret of the system's, or the study's where it repeats."""
    secret = secrets.token_bytes(masking.KEY_BYTES)
    if order.repeat:
        secret = masking.Dealer.of_study(order.seed).secret
    return DealerPlan(port, secrets.token_hex(16), secret.hex(), tokens)
