"""A deployed run beside the study's: digests of models, and bytes of the ledgers."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from fbftl.findings.run_file import read_run
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json
from fbftl.messages.ledger import read_ledger
from fbftl.study.job import Job

from fbftl_deploy.federation import environment
from fbftl_deploy.planning import Order, Plans


def compared(
    planned: Plans, results: Path, order: Order, document: Mapping[str, Any], plan: Path
) -> dict[str, Any]:
    """Return how a run lies beside the study's: digests of models, and bytes of the ledgers.

    None where the study has not trained the setting, or has other clients.

    Args:
        planned: what the parties were told.
        results: the study's folder of results.
        order: what was asked for.
        document: what came of it.
        plan: file of the server's plan.
    """
    payload = {
        client: directions["up"]["payload"]
        for client, directions in document["wire"]["by_client"].items()
    }
    ledger = uplink_bytes(planned.server.ledger, order.seed, ("made",))
    beside: dict[str, Any] = {
        "model": document["models"][-1],
        "payload_bytes": payload,
        "ledger_bytes": ledger,
        "payload_is_ledger": payload == ledger,
        "study": None,
    }
    runs = results / order.task / "runs"
    meta, run = runs / f"{order.setting}.meta.json", runs / f"{order.setting}.json"
    if not (planned.whole and meta.is_file() and run.is_file()):
        return beside
    models = read_json(meta, "record of a run")["models"].get(str(order.seed), [])
    repetitions = {each["seed"]: each for each in read_run(run)["repetitions"]}
    known = uplink_bytes(str(runs / f"{order.setting}.parquet"), order.seed)
    accuracy = repetitions[order.seed]["test_accuracy"]
    equal = models == document["models"]
    by_update = None
    if not equal and adds_in_another_order(planned.server.setting.job):
        by_update = compared_by_update(plan, planned.server.setting.exact, models, document)
    return beside | {
        "study": {
            "models_equal": equal,
            "by_update": by_update,
            "accuracy": accuracy,
            "accuracy_difference": document["accuracy"] - accuracy,
            "ledger_bytes": known,
            "payload_is_ledger": payload == known,
        }
    }


def uplink_bytes(
    path: str, seed: int, encoded: Sequence[str] = ("made", "counted")
) -> dict[str, int]:
    """Return the bytes that each client sent up by a ledger, by its id.

    Args:
        path: of the ledger.
        seed: of the repetition.
        encoded: what counts; a deployment has made every message that came, and counts others.
    """
    table = read_ledger(path, ["seed", "direction", "client", "bits", "encoded"])
    up = pc.and_(pc.equal(table["direction"].cast("string"), "up"), pc.equal(table["seed"], seed))
    up = pc.and_(up, pc.is_in(table["encoded"].cast("string"), pa.array(encoded)))
    grouped = table.filter(up).group_by("client").aggregate([("bits", "sum")])
    pairs = zip(grouped["client"].to_pylist(), grouped["bits_sum"].to_pylist(), strict=True)
    return {str(client): bits // 8 for client, bits in sorted(pairs)}


def adds_in_another_order(job: Job) -> bool:
    """Return whether a study adds up a round's samples in another order than a deployment."""
    return job.setting.method == "ftl_c" and (job.setting.bits, job.setting.keep) == (32, 1)


def compared_by_update(
    plan: Path, exact: bool, study: Sequence[str], document: Mapping[str, Any]
) -> dict[str, Any]:
    """Return how a deployed run of plain FTL_c lies beside the study's engine: see `by_update`.

    Args:
        plan: file of the server's plan.
        exact: whether arithmetic is pinned, for which the engine runs in a process of its own.
        study: digests of the study's models.
        document: what came of the deployed run.

    Raises:
        UserError: if the engine fails.
    """
    command = [sys.executable, "-m", "fbftl_deploy.by_update", str(plan)]
    done = subprocess.run(
        command, env=environment(exact), capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = " ".join(done.stderr[-300:].split())
        raise UserError(f"the study's engine fails on {plan.name}: {last}")
    measured = json.loads(done.stdout)
    return {
        "one_pass_is_study": measured.pop("one_pass") == list(study),
        "models_equal": measured.pop("summed") == document["models"],
        **measured,
    }
