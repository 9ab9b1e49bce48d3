"""A run without Flower: every client answers in this process, and a network may change answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fbftl.exchange.arrivals import ClientAnswer, Exchange, Request, Served
from fbftl_deploy.client import answer
from fbftl_deploy.planning import Order, Plans, parties
from fbftl_deploy.server import serve
from unit.tasks.toy_task import CLIENTS, FEATURES, HEAD, TRAINING

Network = Callable[[ClientAnswer], Iterable[ClientAnswer]]
"""From what a client answers to what arrives of it."""

ONE_SHOT = {"ridge": [0.01], "shrinkage": [0.1, 0.5], "logistic": [1.0], "made": 10**8}


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


def planned(
    files: Mapping[str, str], params: Mapping[str, Any], folder: Path, port: int = 0,
    source: str = "features", repeat: bool = True,
) -> Plans:  # fmt: skip
    """Return the plans of a run, which repeats a study's or draws noise of its own."""
    order = Order("toy", "setting", 0, source=source, repeat=repeat)
    readable = {name: path for name, path in files.items() if name != "features"}
    return parties(params, readable, FEATURES, order, False, folder, port)


def run(plans: Plans, network: Network = lambda sent: [sent]) -> tuple[Served, Exchange, list[int]]:
    """Run a plan; return what the server has, its exchange, and the bytes that clients sent."""
    by_id = {client.client: client for client in plans.clients}
    memories: dict[int, dict[str, Any]] = {client: {} for client in by_id}
    sent = dict.fromkeys(by_id, 0)

    def ask(request: Request, clients: Sequence[int]) -> Iterable[ClientAnswer]:
        for client in clients:
            reply = answer(by_id[client], request, memories[client])
            sent[client] += sum(map(len, reply.messages))
            yield from network(reply)

    served, exchange = serve(plans.server, ask)
    return served, exchange, list(sent.values())
