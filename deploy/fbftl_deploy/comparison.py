"""A deployed run against its ledger and the study's run: bytes by client, and digests of models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from fbftl.messages.ledger import read_ledger
from fbftl.plan.opened import Prepared

from fbftl_deploy.planning import Order

WIRE = pa.schema(dict.fromkeys(("client", "ledger", "messages", "objects"), pa.int64()))


def wire_table(counted: Mapping[str, dict[str, int]], ledger: Path) -> pa.Table:
    """Return the bytes that each client sent: of its messages by the ledger, of its messages as
    they came, and of Flower's objects around these.

    Args:
        counted: by client, as the server counted them.
        ledger: of the run.
    """
    of_ledger = uplink_bytes(ledger)
    rows = [
        {"client": client, "ledger": of_ledger.get(client), **counted.get(str(client), {})}
        for client in sorted({*map(int, counted), *of_ledger})
    ]
    return pa.Table.from_pylist(rows, schema=WIRE)


def uplink_bytes(ledger: Path) -> dict[int, int]:
    """Return the bytes that each client sent up by a run's ledger, by its id."""
    table = read_ledger(ledger, ["direction", "client", "bits"])
    up = table.filter(pc.equal(table["direction"].cast("string"), "up"))
    grouped = up.group_by("client").aggregate([("bits", "sum")])
    return {row["client"]: row["bits_sum"] // 8 for row in grouped.to_pylist()}


def equal_to_study(
    outcome: Mapping[str, Any], prepared: Prepared, order: Order
) -> dict[str, Any] | None:
    """Return whether a run's models are the study's, and the accuracy there; None without a run.

    Args:
        outcome: of the deployed run, all clients of the study taking part.
        prepared: the study.
        order: what was asked for.
    """
    run = prepared.run(order.task, order.setting, order.seed)
    if run is None:
        return None
    (repetition,) = run["repetitions"]
    return {
        "models_equal": run["models"] == outcome["models"],
        "accuracy": repetition["test_accuracy"],
    }
