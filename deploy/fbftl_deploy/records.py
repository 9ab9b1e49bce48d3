"""Requests and answers as Flower's records: the project's messages travel as the bytes they are."""

from fbftl.exchange.arrivals import ClientAnswer, Request
from flwr.app import ConfigRecord, RecordDict

REQUEST, ANSWER = "request", "answer"


def of_request(request: Request, clients: list[int]) -> RecordDict:
    """Return the record of a request to some clients."""
    fields = {
        "run": request.run,
        "request_number": request.request_number,
        "kind": request.kind,
        "messages": list(request.messages),
        "round_or_sum": request.round_or_sum,
        "largest": request.largest,
        "version": request.version,
        "clients": clients,
    }
    return RecordDict({REQUEST: ConfigRecord(fields)})


def to_request(content: RecordDict) -> tuple[Request, list[int]]:
    """Return a request and the clients that it is to."""
    fields = dict(content[REQUEST])
    clients = list(fields.pop("clients"))
    messages = tuple(fields.pop("messages"))
    return Request(messages=messages, **fields), clients


def of_answer(answer: ClientAnswer) -> RecordDict:
    """Return the record of an answer."""
    fields = {
        "run": answer.run,
        "request_number": answer.request_number,
        "client": answer.client,
        "messages": list(answer.messages),
        "version": answer.version,
    }
    return RecordDict({ANSWER: ConfigRecord(fields)})


def to_answer(content: RecordDict) -> ClientAnswer:
    """Return an answer.

    Raises:
        ValueError: if the record is no answer.
    """
    try:
        fields = dict(content[ANSWER])
        messages = tuple(bytes(message) for message in fields.pop("messages"))
        return ClientAnswer(messages=messages, **fields)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a record is no answer: {error}") from error
