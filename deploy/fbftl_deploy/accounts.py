"""What passed on the wire, taken apart: payload, serialisation, app, polling, headers, and a rest.

Every part is measured by itself: the payload by the client that makes it, what Flower makes of it
by Flower's own objects, the others by the proxy, call by call. What no call accounts for is the
rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl_deploy.proxy import UNREAD, Traffic

POLLING = ("PullMessages", "SendNodeHeartbeat", "ActivateNode", "DeactivateNode")
"""Calls that a node makes whether or not there is anything."""

APP = ("GetFab", "GetRun")
"""Calls by which a node gets the app, once a run."""

Sizes = Mapping[int, Sequence[Mapping[str, int]]]
"""By client, payload and serialised bytes of each of its answers."""


def accounts(
    counted: Mapping[int, tuple[Traffic, Traffic]], sizes: Sizes, app_bytes: int, tls: bool
) -> dict[str, Any]:
    """Return the bytes of a run, over all clients and by client.

    Args:
        counted: of each client what went up and what came down.
        sizes: what clients noted of their answers.
        app_bytes: of the app's files, before they are zipped.
        tls: whether the proxy saw nothing but numbers of bytes.
    """
    by_client = {
        str(client): {
            "up": _direction(up, sizes[client], tls, up=True),
            "down": _direction(down, sizes[client], tls, up=False),
        }
        for client, (up, down) in counted.items()
    }
    total: dict[str, dict[str, int]] = {"up": {}, "down": {}}
    for parts in by_client.values():
        for way, bytes_of in parts.items():
            for name, number in bytes_of.items():
                total[way][name] = total[way].get(name, 0) + number
    calls: dict[str, int] = {}
    for up, _ in counted.values():
        for name, number in up.number.items():
            calls[name] = calls.get(name, 0) + number
    return {
        "total": total,
        "by_client": by_client,
        "calls": calls,
        "app_bytes": app_bytes,
        "sizes": {str(client): list(noted) for client, noted in sizes.items()},
    }


def _direction(
    traffic: Traffic, noted: Sequence[Mapping[str, int]], tls: bool, up: bool
) -> dict[str, int]:
    """Return the parts of one client's bytes in one direction."""
    if tls:
        return {"seen": traffic.total}
    polling = sum(_of(traffic, name) for name in POLLING)
    app = sum(_of(traffic, name) for name in APP)
    others = [name for name, _ in traffic.calls if name not in (*POLLING, *APP, UNREAD)]
    names = set(others)
    headers = sum(traffic.calls[name, "headers"] for name in names)
    bodies = sum(traffic.calls[name, "body"] for name in names)
    payload = sum(size["payload"] for size in noted) if up else 0
    read = polling + app + headers + bodies
    return {
        "seen": traffic.total,
        "payload": payload,
        "bodies": bodies - payload,
        "headers": headers,
        "polling": polling,
        "app": app,
        "rest": traffic.total - read,
    }


def _of(traffic: Traffic, name: str) -> int:
    return sum(number for (call, _), number in traffic.calls.items() if call == name)
