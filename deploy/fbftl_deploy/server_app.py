"""The ServerApp of a run: it hands requests to Flower's grid and takes what comes back."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from logging import WARNING
from pathlib import Path

from fbftl.exchange.arrivals import ClientAnswer, Request
from fbftl.ground.errors import UserError
from flwr.app import Context, Message
from flwr.serverapp import Grid, ServerApp
from flwr.supercore.logger import log

from fbftl_deploy.plans import ARRIVED, read_server
from fbftl_deploy.records import of_request, to_answer
from fbftl_deploy.server import serve, write_outcome

POLL_SECONDS = 0.25
"""Between two looks at what has arrived."""

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Serve the setting of the plan."""
    plan = read_server(str(context.run_config["plan"]))
    noted = Path(plan.outcome).with_suffix(ARRIVED)
    carrier = Carrier(grid, plan.setting.taking_part, plan.patience, noted)
    try:
        served, exchange = serve(plan, carrier.ask)
    except UserError as error:
        write_failure(plan.outcome, str(error))
        raise
    for sentence in (*exchange.refused, *carrier.failed):
        log(WARNING, sentence)
    write_outcome(plan, served, exchange, {"failed": carrier.failed})


def write_failure(path: str, sentence: str) -> None:
    """Write why there is no outcome."""
    from fbftl.ground.files import write_json

    write_json(path, {"error": sentence})


class Carrier:
    """What carries requests and answers over Flower's grid.

    Which node is which client the nodes say with their first answer: the first request goes to all
    of them.

    Args:
        grid: Flower's.
        nodes: how many there should be.
        patience: seconds to wait for them, and for the answers to a request.
        noted: file that gets a line for every answer that arrives, so that a run which is cut off
            does not lose it in silence.
    """

    def __init__(self, grid: Grid, nodes: int, patience: float, noted: Path) -> None:
        self.grid, self.nodes, self.patience, self.noted = grid, nodes, patience, noted
        self.node_of: dict[int, int] = {}
        self.failed: list[str] = []
        """A sentence for each node that gave no answer."""

    def ask(self, request: Request, clients: Sequence[int]) -> Iterator[ClientAnswer]:
        """Send a request; yield the answers as they come."""
        nodes = [self.node_of[client] for client in clients if client in self.node_of]
        if not self.node_of:
            nodes = self._connected()
        content = of_request(request, list(clients))
        messages = [
            Message(content, dst_node_id=node, message_type="query", ttl=self.patience)
            for node in nodes
        ]
        waiting = set(self.grid.push_messages(messages))
        end = time.monotonic() + self.patience
        while waiting and time.monotonic() < end:
            for reply in self.grid.pull_messages(waiting):
                waiting.discard(reply.metadata.reply_to_message_id)
                yield from self._answer(reply, clients)
            time.sleep(POLL_SECONDS)
        if waiting:
            self.failed.append(f"{len(waiting)} clients gave no answer in {self.patience:g} s")

    def _answer(self, reply: Message, clients: Sequence[int]) -> Iterator[ClientAnswer]:
        """Yield what a reply holds, if it is an answer of somebody who was asked."""
        if reply.has_error():
            self.failed.append(f"node {reply.metadata.src_node_id} failed: {reply.error.reason}")
            return
        try:
            answer = to_answer(reply.content)
        except ValueError as error:
            self.failed.append(f"node {reply.metadata.src_node_id} is refused: {error}")
            return
        self._note(answer)
        self.node_of.setdefault(answer.client, reply.metadata.src_node_id)
        if answer.client in clients or answer.messages:
            yield answer

    def _note(self, answer: ClientAnswer) -> None:
        """Write that an answer has arrived."""
        size = sum(map(len, answer.messages))
        line = json.dumps(
            {"request_number": answer.request_number, "client": answer.client, "bytes": size}
        )
        with self.noted.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _connected(self) -> list[int]:
        """Return the nodes once they are all there, or as many as there are after some patience."""
        end = time.monotonic() + self.patience
        while len(nodes := list(self.grid.get_node_ids())) < self.nodes:
            if time.monotonic() > end:
                self.failed.append(f"{len(nodes)} of {self.nodes} clients came in time")
                break
            time.sleep(POLL_SECONDS)
        return nodes


if os.environ.get("FLWR_TELEMETRY_ENABLED", "1") != "0":
    log(WARNING, "Flower's telemetry is on; ./run deploy turns it off")
