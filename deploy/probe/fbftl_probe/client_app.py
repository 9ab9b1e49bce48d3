"""The client: it answers with as many bytes as it is asked for."""

import secrets

from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()


@app.query()
def query(message: Message, context: Context) -> Message:
    """Answer with random bytes, which nothing compresses."""
    size = int(message.content["request"]["size"])
    payload = ConfigRecord({"payload": secrets.token_bytes(size)})
    return Message(RecordDict({"answer": payload}), reply_to=message)
