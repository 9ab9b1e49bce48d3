"""The ServerApp of a run: it hands requests to Flower's grid, takes what comes back, and trains."""

import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from fbftl.exchange.arrivals import (
    ANSWER,
    LEDGER,
    OUTCOME,
    REQUEST,
    ClientAnswer,
    Exchange,
    Request,
    ServerPlan,
    read_plan,
)
from fbftl.ground.files import write_json
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.serverapp import Grid, ServerApp
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects

POLL_SECONDS = 0.25

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Serve the setting of the plan; write what came of it, or why nothing did."""
    path = Path(str(context.run_config["plan"]))
    plan = read_plan(path, ServerPlan)
    carrier = Carrier(grid, len(plan.taking_part), plan.patience)
    exchange = Exchange(carrier.ask)
    method = import_module(f"fbftl.methods.{plan.setting.job.setting.method}.deployed")
    try:
        served = method.serve(plan, exchange)
    except Exception as error:
        write_json(path.with_name(OUTCOME), {"error": f"the server ends: {error}"})
        raise
    served.ledger.write(path.with_name(LEDGER))
    document = {
        "models": served.models,
        "accuracy": served.accuracy,
        "refused": exchange.refused,
        "failed": carrier.failed + exchange.failed,
        "bytes": exchange.traffic,
    }
    write_json(path.with_name(OUTCOME), document)


class Carrier:
    """What carries requests and answers over Flower's grid, and counts the bytes of its objects.

    Which node is which client the nodes say with their first answer: the first request goes to all
    of them. `failed` has a sentence for each reply that is no answer.

    Args:
        grid: Flower's.
        nodes: how many there should be.
        patience: seconds to wait for them, and for the answers to a request.
    """

    def __init__(self, grid: Grid, nodes: int, patience: float) -> None:
        self.grid, self.nodes, self.patience = grid, nodes, patience
        self.node_of: dict[int, int] = {}
        self.failed: list[str] = []

    def ask(self, request: Request) -> Iterator[ClientAnswer]:
        """Send a request; yield the answers as they come."""
        nodes = [self.node_of[client] for client in request.clients if client in self.node_of]
        if not self.node_of:
            nodes = self._connected()
        content = RecordDict({REQUEST: ConfigRecord(vars(request))})
        messages = [
            Message(content, dst_node_id=node, message_type="query", ttl=self.patience)
            for node in nodes
        ]
        waiting = set(self.grid.push_messages(messages)) if messages else set()
        end = time.monotonic() + self.patience
        while waiting and time.monotonic() < end:
            for reply in self.grid.pull_messages(waiting):
                waiting.discard(reply.metadata.reply_to_message_id)
                yield from self._answer(reply)
            time.sleep(POLL_SECONDS)

    def _answer(self, reply: Message) -> Iterator[ClientAnswer]:
        """Yield what a reply holds, if it is an answer."""
        node = reply.metadata.src_node_id
        try:
            if reply.has_error():
                raise ValueError(reply.error.reason)
            size = sum(len(each.deflate()) for each in get_all_nested_objects(reply).values())
            answer = ClientAnswer(**reply.content[ANSWER], objects=size)
        except (KeyError, TypeError, ValueError) as error:
            self.failed.append(f"node {node} gave no answer: {error}")
            return
        self.node_of.setdefault(answer.client, node)
        if answer.messages:
            yield answer

    def _connected(self) -> list[int]:
        """Return the nodes once they are all there, or as many as there are after some patience."""
        end = time.monotonic() + self.patience
        while len(nodes := list(self.grid.get_node_ids())) < self.nodes and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        return nodes
