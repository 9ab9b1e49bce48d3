"""What passed on the wire, taken apart by client and direction; every part is measured by itself.

The payload and what Flower makes of it are noted by the client, where they are made; calls are
counted by the proxy, each with its headers and its body. What no call accounts for is the rest.
Under TLS the proxy sees numbers of bytes alone, and its share is a run's less another's.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from fbftl_deploy.proxy import UNREAD, Traffic

POLLING = ("pull-messages", "send-node-heartbeat")
"""Calls that a node makes whether or not there is anything."""

JOINING = ("register-node", "activate-node", "deactivate-node", "unregister-node")
"""Calls by which a node comes and goes."""

APP = ("get-fab", "get-run")
"""Calls by which a node gets the app, once a run."""

PARTS = (
    "payload", "serialisation", "framing", "headers", "polling", "joining", "app", "rest",
)  # fmt: skip
"""Parts of what the proxy saw: the project's messages; Flower's records around them; the bodies of
the calls that carry these records, without them; the headers of these calls; and other calls whole.
"""

Sizes = Mapping[int, list[dict[str, dict[str, int]]]]
"""By client, for each of its answers: payload and serialised bytes, up and down."""


def accounts(
    counted: Mapping[int, tuple[Traffic, Traffic]], sizes: Sizes, tls: bool
) -> dict[str, Any]:
    """Return the bytes of a run, over all clients and by client.

    Args:
        counted: of each client what went up and what came down.
        sizes: what clients noted of their answers.
        tls: whether the proxy saw nothing but numbers of bytes.
    """
    by_client = {
        str(client): {
            "up": parts_of(up, [noted["up"] for noted in sizes[client]], tls),
            "down": parts_of(down, [noted["down"] for noted in sizes[client]], tls),
        }
        for client, (up, down) in counted.items()
    }
    total: dict[str, dict[str, int]] = {"up": {}, "down": {}}
    for directions in by_client.values():
        for direction, parts in directions.items():
            added = total[direction]
            for name, number in parts.items():
                added[name] = added.get(name, 0) + number
    calls: dict[str, int] = {}
    for up, _ in counted.values():
        for name, number in up.number.items():
            calls[name] = calls.get(name, 0) + number
    return {"total": total, "by_client": by_client, "calls": calls}


def parts_of(traffic: Traffic, noted: Iterable[Mapping[str, int]], tls: bool) -> dict[str, int]:
    """Return the parts of one client's bytes in one direction, `seen` first.

    Args:
        traffic: what passed.
        noted: payload and serialised bytes of each message.
        tls: whether nothing but its number is known.
    """
    noted = list(noted)
    payload = sum(message["payload"] for message in noted)
    if tls:
        return {"seen": traffic.total, "payload": payload}
    whole = {
        name: sum(_of(traffic, call) for call in calls)
        for name, calls in (("polling", POLLING), ("joining", JOINING), ("app", APP))
    }
    others = {call for call, _ in traffic.calls} - {*POLLING, *JOINING, *APP, UNREAD}
    serialised = sum(message["serialised"] for message in noted)
    bodies = sum(traffic.calls[call, "body"] for call in others)
    headers = sum(traffic.calls[call, "headers"] for call in others)
    parts = {
        "payload": payload,
        "serialisation": serialised - payload,
        "framing": bodies - serialised,
        "headers": headers,
        **whole,
    }
    return {"seen": traffic.total, **parts, "rest": traffic.total - sum(parts.values())}


def _of(traffic: Traffic, name: str) -> int:
    return sum(number for (call, _), number in traffic.calls.items() if call == name)
