"""The ClientApp of a run: Flower starts it for every message; what stays is in its context."""

from importlib import import_module

from fbftl.exchange.arrivals import ANSWER, REQUEST, ClientPlan, Request, read_plan
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

REMEMBERED = "remembered"
"""Name of the record of bytes that stay with a client from request to request."""

app = ClientApp()


@app.query()
def query(message: Message, context: Context) -> Message:
    """Answer a request; a client that is not asked replies with its id alone."""
    plan = read_plan(str(context.node_config["plan"]), ClientPlan)
    request = Request(**message.content[REQUEST])
    messages: list[bytes] = []
    if plan.client in request.clients:
        remembered = dict(context.state.get(REMEMBERED, {}))
        method = import_module(f"fbftl.methods.{plan.setting.job.setting.method}.deployed")
        messages = method.answer(plan, request, remembered)
        context.state[REMEMBERED] = ConfigRecord(remembered)
    record = ConfigRecord({"client": plan.client, "messages": messages})
    return Message(RecordDict({ANSWER: record}), reply_to=message)
