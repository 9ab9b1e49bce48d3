"""Train a batch of runs that are missing; each is in the store as soon as it is finished.

What is to be made a note of the store says, which the call that planned has written: units, one
after the other, of settings and seeds that step side by side. A unit that fails is tried run by
run, so that an error is that of one run and ends no other; the batch then fails at its end, and
names what failed.
"""

import gc

if __name__ == "__main__":
    # All that is imported stays: to look for circles in it takes a tenth of a job's start.
    gc.disable()

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import run_document, with_digests
from fbftl.ground import devices, provenance
from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.logs import run_job
from fbftl.ground.room import GIGABYTE, Room
from fbftl.ground.timings import FOLDER, entry
from fbftl.methods import by_name
from fbftl.study.job import from_params, name_of
from fbftl.training.tasks.task import Inputs, Outcome

RUNS, FAILED = "runs", "failed"
"""Folders of the store."""


@dataclass(frozen=True)
class Surroundings:
    """What all runs of a batch share.

    store: of artefacts.
    axes: the axes that each method knows, with their defaults.
    device, room: where to compute.
    """

    store: Store
    axes: Mapping[str, Any]
    device: Any
    room: Room


def main(note: Mapping[str, Any], store: Store, threads: int) -> None:
    """Make what a note says.

    Args:
        note: as the call that planned has written it.
        store: of artefacts.
        threads: threads to compute with.

    Raises:
        UserError: naming the runs that failed.
    """
    for kind, key in note["artefacts"]:
        store.require(kind, key)
    where = devices.prepare(note["study"]["device"], threads)
    around = Surroundings(store, note["study"]["axes"], where, room_of(**note["room"]))
    failed, took = [], []
    for unit in note["units"]:
        started = time.monotonic()
        failed += made(unit, around)
        took.append(entry(unit, round(time.monotonic() - started, 3)))
    store.put_note(FOLDER, key_of(canonical(took)), {"units": took})
    if failed:
        raise UserError(f"{len(failed)} runs failed: {'; '.join(failed)}")


def made(unit: Mapping[str, Any], around: Surroundings) -> Iterator[str]:
    """Make the runs of a unit that are not there; yield a sentence on each that failed."""
    there = around.store.keys(RUNS, ".json")
    left = [of_one for of_one in unit["settings"] if not there.issuperset(of_one["keys"])]
    if not left:
        return
    try:
        trained(unit, left, unit["seeds"], around)
    except Exception as error:
        if len(left) == len(unit["seeds"]) == 1:
            yield noted(left[0], unit["seeds"][0], error, around.store)
            return
        for of_one in left:
            for index, seed in enumerate(unit["seeds"]):
                alone = of_one | {"keys": [of_one["keys"][index]]}
                yield from made(unit | {"settings": [alone], "seeds": [seed]}, around)


def trained(
    unit: Mapping[str, Any], settings: Sequence[Mapping[str, Any]], seeds: Sequence[int],
    around: Surroundings,
) -> None:  # fmt: skip
    """Train settings under some seeds side by side, and put what each seed found into the store."""
    started = time.monotonic()
    inputs = Inputs.at(unit["files"], around.device, around.room)
    jobs = [of_one["job"] | {"task": unit["task"], "seeds": list(seeds)} for of_one in settings]
    outcomes = by_name.trained([from_params(job, around.axes) for job in jobs], inputs)
    for of_one, job, outcome in zip(settings, jobs, outcomes, strict=True):
        how = provenance.record(around.device, time.monotonic() - started)
        put(outcome, job, of_one, how, around.store)


def put(
    outcome: Outcome, job: Mapping[str, Any], of_one: Mapping[str, Any], how: Mapping[str, Any],
    store: Store,
) -> None:  # fmt: skip
    """Put the runs of a setting into the store: a seed's ledger first, then its document."""
    for index, (seed, key) in enumerate(zip(job["seeds"], of_one["keys"], strict=True)):
        repetition = outcome.repetitions[index]
        with store.putting(RUNS, key, ".parquet") as path:
            outcome.ledger.write(path, seed)
            ledger = sha256(path)
        document = run_document(
            job, outcome.provenance, [repetition], outcome.measures, outcome.series
        )
        of_seed = str(seed)
        transcript = [
            entry | {"predictions": {of_seed: entry["predictions"][of_seed]}}
            for entry in outcome.transcript or ()
        ]
        run = {"recipe": {"seed": seed, "setting": of_one["recipe"]}} | document
        run |= {"models": list(repetition.get("models", ())), "transcript": transcript}
        store.put_json(RUNS, key, with_digests(run | {"made": dict(how)}, ledger))
        store.path(FAILED, key, ".json").unlink(missing_ok=True)


def noted(of_one: Mapping[str, Any], seed: int, error: Exception, store: Store) -> str:
    """Note that a run failed, for the next call, which tries it in a batch of its own."""
    (key,) = of_one["keys"]
    name = name_of(of_one["job"]["setting"])
    what = str(error) if isinstance(error, UserError) else f"unexpected error: {error!r}"
    details = "" if isinstance(error, UserError) else traceback.format_exc()
    store.path(FAILED, key, ".json").unlink(missing_ok=True)
    failure = {"setting": name, "seed": seed, "error": what, "details": details}
    store.put_json(FAILED, key, failure)
    return f"{name}, seed {seed} ({key}): {what}"


def room_of(memory: float | None, scratch_folder: str | None) -> Room:
    """Return where large arrays go, as the configuration says it."""
    bound = None if memory is None else int(memory * GIGABYTE)
    return Room(bound, None if scratch_folder is None else Path(scratch_folder))


if __name__ == "__main__":
    gc.freeze()
    gc.enable()
    run_job(snakemake, main)
