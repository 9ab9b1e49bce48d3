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
        if (by_update := study["by_update"]) is not None:
            verdict += ", which takes one pass; " + _by_update(by_update)
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


def _by_update(compared: Mapping[str, Any]) -> str:
    """Return how a run of plain FTL_c lies beside the study's engine."""
    equals = "equals it" if compared["models_equal"] else "differs from it"
    return (
        f"its engine adding the clients' updates {equals}, at most "
        f"{compared['largest_difference']:.1e} from the pass in weights up to "
        f"{compared['largest_weight']:.2g}"
    )
