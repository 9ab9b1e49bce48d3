"""A run without Flower: every client answers in this process, and a network may change answers."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from fbftl.exchange.arrivals import ClientAnswer, Exchange, Request, Served
from fbftl_deploy.planning import Order, Plans, parties
from unit.training.tasks.toy_task import CLIENTS, HEAD, TRAINING

Network = Callable[[ClientAnswer], Iterable[ClientAnswer]]
"""From what a client answers to what arrives of it."""

ONE_SHOT = {
    "ridge": [0.01],
    "shrinkage": [0.1, 0.5],
    "fedcof": [0.1],
    "logistic": [1.0],
    "made": 10**8,
}


def params_of(method: str, axes: Mapping[str, Any], **training: Any) -> dict[str, Any]:
    """Return the toy task's job of a setting, as the workflow passes it."""
    return {
        "task": "toy",
        "kind": "images",
        "setting": {"method": method} | dict(axes),
        "seeds": [0],
        "clients": CLIENTS,
        "training": TRAINING | training,
        "privacy": {"feature_clip": {"norm": 1.0}, "delta": 1e-5},
        "block": {"head": HEAD, "network": None, "one_shot": ONE_SHOT},
    }


def planned(files: Mapping[str, str], params: Mapping[str, Any], repeat: bool = True) -> Plans:
    """Return the plans of a run, which repeats a study's or draws noise of its own."""
    readable = {name: path for name, path in files.items() if name != "features"}
    return parties(params, readable, Order("toy", "setting", 0, repeat=repeat))


def run(plans: Plans, network: Network = lambda sent: [sent]) -> tuple[Served, Exchange, list[int]]:
    """Run a plan; return what the server has, its exchange, and the bytes that clients sent."""
    by_id = {client.client: client for client in plans.clients}
    memories: dict[int, dict[str, Any]] = {client: {} for client in by_id}
    sent = dict.fromkeys(by_id, 0)
    method = plans.server.setting.job.setting.method
    deployed = import_module(f"fbftl.methods.{method}.deployed")

    def ask(request: Request) -> Iterable[ClientAnswer]:
        for client in request.clients:
            messages = deployed.answer(by_id[client], request, memories[client])
            sent[client] += sum(map(len, messages))
            yield from network(ClientAnswer(client, messages))

    exchange = Exchange(ask)
    return deployed.serve(plans.server, exchange), exchange, list(sent.values())
