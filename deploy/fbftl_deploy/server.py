"""The server of a run: it asks, reads what arrives, trains, and writes what came of it."""

from importlib import import_module
from typing import Any

from fbftl.exchange.arrivals import Ask, Exchange, Served
from fbftl.ground.devices import prepare
from fbftl.ground.files import write_json
from fbftl.tasks.party import features_at_server, samples_at_server
from fbftl.tasks.task import Inputs

from fbftl_deploy.dealer import RemoteDealer
from fbftl_deploy.plans import ServerPlan


def serve(plan: ServerPlan, ask: Ask) -> tuple[Served, Exchange]:
    """Run a setting's server; return what it has in the end, and its exchange.

    Args:
        plan: what it was told before the run.
        ask: what carries requests and answers.

    Raises:
        UserError: as the method's server.
    """
    setting = plan.setting
    inputs = Inputs.at(plan.files, prepare("cpu", 1))
    method = setting.job.setting.method
    party = samples_at_server if method == "fedavg" else features_at_server
    server = party(inputs, plan.owner, setting.classes)
    exchange = Exchange(setting.run, ask)
    serving = import_module(f"fbftl.methods.{method}.serving")
    dealer = {} if plan.dealer is None else {"dealer": RemoteDealer(plan.dealer)}
    return serving.serve(setting.job, setting.seed, server, exchange, **dealer), exchange


def write_outcome(plan: ServerPlan, served: Served, exchange: Exchange, more: Any = None) -> None:
    """Write what came of a run: models, accuracy, refusals, and the ledger beside it."""
    served.ledger.write(plan.ledger)
    document = {
        "models": served.models,
        "accuracy": served.accuracy,
        "refused": exchange.refused,
        **(more or {}),
    }
    write_json(plan.outcome, document)
