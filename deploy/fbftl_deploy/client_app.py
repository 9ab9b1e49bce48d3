"""The ClientApp of a run: Flower starts it for every message; what stays is in its context."""

import json
from collections.abc import Sequence
from pathlib import Path

from fbftl.exchange.arrivals import ClientAnswer
from flwr.app import ConfigRecord, Context, Message
from flwr.clientapp import ClientApp
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects

from fbftl_deploy.client import answer
from fbftl_deploy.plans import read_client
from fbftl_deploy.records import of_answer, to_request

MEMORY = "memory"
"""Name of the record of bytes that stay with a client."""

app = ClientApp()


@app.query()
def query(message: Message, context: Context) -> Message:
    """Answer a request; a client that is not asked replies with its id alone."""
    path = Path(str(context.node_config["plan"]))
    plan = read_client(path)
    request, clients = to_request(message.content)
    if plan.client in clients:
        memory = dict(context.state[MEMORY]) if MEMORY in context.state else {}
        reply_answer = answer(plan, request, memory)
        context.state[MEMORY] = ConfigRecord(memory)
    else:
        reply_answer = ClientAnswer(request.run, request.request_number, plan.client, ())
    reply = Message(of_answer(reply_answer), reply_to=message)
    noted = {
        "up": _sizes(reply, reply_answer.messages),
        "down": _sizes(message, request.messages),
    }
    with path.with_suffix(".sizes").open("a", encoding="utf-8") as file:
        file.write(json.dumps(noted) + "\n")
    return reply


def _sizes(message: Message, messages: Sequence[bytes]) -> dict[str, int]:
    """Return the bytes of the project's messages, and of what Flower makes of them."""
    serialised = sum(len(each.deflate()) for each in get_all_nested_objects(message).values())
    return {"payload": sum(map(len, messages)), "serialised": serialised}
