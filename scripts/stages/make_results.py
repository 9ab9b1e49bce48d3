"""Make the results of a task or a paper in one process: tables, figures and tidy files.

The last file that is written has the key of the plan in its name. It alone says by which plan the
others were made; so it goes before the first of them is written.
"""

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import digest_of, join_ledgers, joined
from fbftl.findings.steps import Step, mapped, run
from fbftl.ground.artefacts import Store, canonical, exclusive, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import remove_leftovers_of, replacing, write_json, write_text, writing
from fbftl.ground.logs import log, run_job
from fbftl.study import task_names

RUNS = "runs"
"""Folder of the store."""

LISTED = ("setting", "seed", "key", "accuracy", "uplink_bits", "diverged")
"""Columns of `runs.csv`; of dialogues the accuracy is ROUGE-1."""


def main(note: Mapping[str, Any], store: Store, threads: int) -> None:
    """Make what a note says.

    Args:
        note: as the call that planned has written it.
        store: of artefacts.
        threads: threads to compute with.

    Raises:
        UserError: if another plan is to be made meanwhile, or as a step does.
    """
    made, folder = Path("results", ".made"), Path("results", note["name"])
    name = note["name"].replace("/", "-")
    with ExitStack() as stack:
        stack.enter_context(exclusive(made / "locks" / name, wait_s=float("inf")))
        require_plan(made / f"{name}.plan", note["key"])
        marker = made / "results" / f"{name}.{note['key']}"
        forget(marker, note["declared"])
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=made)))
        link(note["links"])
        for path, found in note["copies"].items():
            with replacing(path) as temporary:
                shutil.copyfile(found, temporary)
        for described in note["steps"]:
            step = Step(**described)
            here = partial(at_hand, note=note, store=store, scratch=scratch)
            log.info("%s", step.script)
            try:
                for path in filter(None, map(store.artefact_of, step.read)):
                    store.require(*path)
                inputs = {name: mapped(file, here) for name, file in step.inputs.items()}
                run(replace(step, inputs=inputs), note["study"] | {"threads": threads})
            except UserError as error:
                raise UserError(
                    f"{step.script}: {error}; {note['name']} has no tables and figures until the "
                    "next call makes them"
                ) from error
        if note["listed"]:
            write_runs(folder / "runs.csv", note, store)
        if str(folder / "key") in note["declared"]:
            write_text(folder / "key", f"{note['key']}\n")
        write_json(marker, note["declared"])


def require_plan(plan: Path, key: str) -> None:
    """Refuse a job of a call that has ended, where another one has planned something else.

    Raises:
        UserError: naming the remedy.
    """
    planned = json.loads(plan.read_bytes())["key"]
    if planned != key:
        raise UserError(f"a later call has planned {plan.stem} anew; call again")


def forget(marker: Path, declared: Iterable[str]) -> None:
    """Remove the key of finished results, leftovers of kills, and what only other plans make."""
    for path in declared:
        remove_leftovers_of(path)
        if path.endswith("/key"):
            Path(path).unlink(missing_ok=True)
    with writing(marker):
        marker.parent.mkdir(parents=True, exist_ok=True)
    for old in marker.parent.glob(f"{marker.stem}.*"):
        if old.name.rpartition(".")[0] == marker.stem:
            former = set(json.loads(old.read_bytes()))
            old.unlink()
            for path in former - set(declared):
                Path(path).unlink(missing_ok=True)


def link(links: Mapping[str, str]) -> None:
    """Link files and folders of the store to where people look for them."""
    for path, found in links.items():
        with writing(path):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).unlink(missing_ok=True)
            os.symlink(os.path.relpath(found, Path(path).parent), path)


def at_hand(file: str, note: Mapping[str, Any], store: Store, scratch: Path) -> str:
    """Return what a step reads; of a setting's run file, one with all seeds, joined for it."""
    match = task_names.RUN.fullmatch(file)
    if match is None:
        return file
    path = scratch / file
    if not path.exists():
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        task, name = match.groups()
        keys = note["runs"][task]["keys"][name]
        if file.endswith(".json"):
            write_json(path, joined(list(documents(keys, store)), task))
        else:
            join_ledgers([store.path(RUNS, key, ".parquet") for key in keys], path)
    return str(path)


def documents(keys: Iterable[str], store: Store) -> Iterator[dict[str, Any]]:
    """Yield the documents of runs.

    Raises:
        UserError: if one is of another recipe than its name says, or was changed.
    """
    for key in keys:
        document = store.json(RUNS, key)
        path = store.path(RUNS, key, ".json")
        if document.get("digests", {}).get("run") != digest_of(document):
            raise UserError(f"{path} has changed since it was made; remove it")
        if key_of(canonical(document["recipe"])) != key:
            raise UserError(f"{path} is of another recipe than its name says; remove it")
        yield document


def write_runs(path: Path, note: Mapping[str, Any], store: Store) -> None:
    """Write which run of the store every setting and seed of a task is."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["task", *LISTED])
        for task in note["listed"]:
            of_task = note["runs"][task]
            for name, keys in of_task["keys"].items():
                for seed, key in zip(of_task["seeds"], keys, strict=True):
                    (found,) = store.json(RUNS, key)["repetitions"]
                    score = found.get("test_accuracy", found.get("rouge1"))
                    measured = (score, found.get("uplink_bits"), found["diverged"])
                    rows.writerow([task, name, seed, key, *measured])


if __name__ == "__main__":
    run_job(snakemake, main)
