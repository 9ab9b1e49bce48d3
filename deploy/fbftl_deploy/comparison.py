"""A deployed run against its ledger and the study's run: bytes by client, and digests of models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from fbftl.findings.run_file import read_run
from fbftl.ground.files import read_json
from fbftl.messages.ledger import read_ledger

from fbftl_deploy.planning import Order


def wire_table(counted: Mapping[str, Mapping[str, int]], ledger: Path) -> pa.Table:
    """Return the bytes that each client sent: of its messages by the ledger, of its messages as
    they came, and of Flower's objects around these.

    Args:
        counted: by client, as the server counted them.
        ledger: of the run.
    """
    of_ledger, nothing = uplink_bytes(ledger), {"messages": 0, "objects": 0}
    return pa.Table.from_pylist(
        [
            {"client": client, "ledger": of_ledger.get(client, 0)}
            | dict(counted.get(str(client), nothing))
            for client in sorted({*map(int, counted), *of_ledger})
        ]
    )


def uplink_bytes(ledger: Path) -> dict[int, int]:
    """Return the bytes that each client sent up by a run's ledger, by its id."""
    table = read_ledger(ledger, ["direction", "client", "bits"])
    up = table.filter(pc.equal(table["direction"].cast("string"), "up"))
    grouped = up.group_by("client").aggregate([("bits", "sum")])
    pairs = zip(grouped["client"].to_pylist(), grouped["bits_sum"].to_pylist(), strict=True)
    return {client: bits // 8 for client, bits in pairs}


def equal_to_study(
    outcome: Mapping[str, Any], results: Path, order: Order
) -> dict[str, Any] | None:
    """Return whether a run's models are the study's, and the accuracy there; None without a run.

    Args:
        outcome: of the deployed run, all clients of the study taking part.
        results: the study's folder of results.
        order: what was asked for.
    """
    runs = results / order.task / "runs"
    meta, run = runs / f"{order.setting}.meta.json", runs / f"{order.setting}.json"
    if not (meta.is_file() and run.is_file()):
        return None
    models = read_json(meta, "record of a run")["models"].get(str(order.seed), [])
    repetitions = {each["seed"]: each for each in read_run(run)["repetitions"]}
    return {
        "models_equal": models == outcome["models"],
        "accuracy": repetitions[order.seed]["test_accuracy"],
    }
