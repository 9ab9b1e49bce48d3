"""How the results of a folder were made, from its jobs' logs and the workflow engine's notes.

The logs say what each job wrote, the notes from what. Files that say when and where a job ran are
left out.
"""

import base64
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fbftl.ground.departures import Made
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json, sha256
from fbftl.ground.seals import sealed

NOTES = Path(".snakemake", "metadata")
"""Folder of the notes, a file for each result."""


def results(folder: Path) -> dict[str, Made]:
    """Return how each result of a folder was made, by its path there.

    Raises:
        UserError: if there is none, or a note is damaged.
    """
    digests = sealed(folder / "results")
    by_path = {
        path: Made(
            digest=sha256(folder / path),
            sealed=digests[path],
            rule=noted["rule"] or "",
            inputs=dict.fromkeys(noted["input"] or [], "") | (noted["input_checksums"] or {}),
            params=tuple(noted["params"] or []),
            started=noted["starttime"] or 0.0,
            ended=noted["endtime"] or 0.0,
            script=(noted["code"] or "").strip().strip('"'),
            log=next(iter(noted["log"] or []), ""),
        )
        for path, noted in notes(folder / NOTES)
        if path in digests and not path.endswith(".meta.json") and (folder / path).is_file()
    }
    if not by_path:
        raise UserError(
            f"{folder} holds no finished study; name a folder in which one was run, or the "
            "configuration files of one that has a folder of its own"
        )
    return by_path


def from_here(by_path: Mapping[str, Made], folder: Path) -> dict[str, Made]:
    """Return how results were made with all paths seen from here, where a study has a folder.

    Args:
        by_path: as `results` returns it, seen from the study's folder.
        folder: the study's, seen from here.
    """

    def seen(path: str) -> str:
        return os.path.normpath(folder / path) if path else path

    return {
        seen(path): replace(
            made, inputs={seen(read): digest for read, digest in made.inputs.items()},
            log=seen(made.log),
        )
        for path, made in by_path.items()
    }  # fmt: skip


def arithmetics(results: Path) -> dict[str, dict[str, Any]]:
    """Return how each run below a folder of results was computed, by the path of its notes there.

    See `fbftl.ground.exact.described`; runs of before it was noted are left out.
    """
    return {
        path: noted["arithmetic"]
        for path, noted in _notes_on_runs(results).items()
        if "arithmetic" in noted
    }


def commits(results: Path) -> set[str]:
    """Return the commits that the runs below a folder of results were made at, where noted."""
    return {noted["commit"] for noted in _notes_on_runs(results).values() if noted.get("commit")}


def _notes_on_runs(results: Path) -> dict[str, dict[str, Any]]:
    """Return the notes on each run below a folder of results, by their path there."""
    return {
        path.relative_to(results).as_posix(): read_json(path, "notes on a run")
        for path in sorted(results.glob("**/runs/*.meta.json"))
    }


def distinct(described: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each way to compute once, in the order of their text."""
    texts = {json.dumps(each, sort_keys=True) for each in described}
    return [json.loads(text) for text in sorted(texts)]


def computed_otherwise(first: Path, second: Path) -> str | None:
    """Return the first run that one of two folders of results did not compute exactly, and why.

    None where both computed all that they share in the one way that gives equal bytes everywhere.
    """
    here, there = arithmetics(first), arithmetics(second)
    for path in sorted(here.keys() & there.keys()):
        reasons = [each[path]["not_exact_because"] for each in (here, there)]
        if any(reasons):
            ways = ["exactly" if why is None else f"not exactly, because {why}" for why in reasons]
            return f"{path} was computed {ways[0]}, in the second {ways[1]}"
    return None


def notes(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what was noted of every output; long names are folders that begin with an @."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = "".join(part.removeprefix("@") for part in file.relative_to(folder).parts)
        try:
            yield base64.b64decode(name).decode(), json.loads(file.read_bytes())
        except ValueError as error:
            raise UserError(f"{file} is damaged: {error}") from error
