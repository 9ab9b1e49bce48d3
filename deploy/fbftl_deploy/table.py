"""What a deployed run comes to, as lines to read."""

from collections.abc import Mapping
from typing import Any


def lines(document: Mapping[str, Any]) -> list[str]:
    """Return the lines of a result."""
    study = document["study"]
    verdict = "the study has no run with these clients to compare with"
    if study is not None:
        equal = "equals" if study["models_equal"] else "differs from"
        verdict = f"the model {equal} the study's, accuracy {study['accuracy']:.4f} there"
    total = document["wire"]["total"]
    payload, ledger = document["payload_bytes"], document["ledger_bytes"]
    text = [
        f"{document['setting']} on {document['task']}, seed {document['seed']}, "
        f"{document['clients']} clients, {document['seconds']:.0f} s: accuracy "
        f"{document['accuracy']:.4f}; {verdict}",
        f"up: ledger {sum(ledger.values()):,} bytes, payload {sum(payload.values()):,}; proxy "
        + ", ".join(f"{name} {number:,}" for name, number in total["up"].items()),
        "down: proxy " + ", ".join(f"{name} {number:,}" for name, number in total["down"].items()),
        "Flower's count: " + ", ".join(f"{n} {b:,}" for n, b in document["flower"].items()),
        document["protection"],
    ]
    return [*text, *document["refused"], *document["failed"]]
