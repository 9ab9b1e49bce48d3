"""How the results of a folder were made, from its jobs' logs and the workflow engine's notes.

The logs say what each job wrote, the notes from what. Files that say when and where a job ran are
left out.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fbftl.ground.departures import Made
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.seals import sealed

NOTES = Path(".snakemake", "metadata")
"""Folder of the notes, a file for each result."""


def results(folder: Path) -> dict[str, Made]:
    """Return how each result of a folder was made, by its path there.

    Raises:
        UserError: if there is none, or a note is damaged.
    """
    digests = sealed(folder / "results")
    made = {
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
    if not made:
        raise UserError(f"{folder} holds no finished study; name a folder in which one was run")
    return made


def notes(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what was noted of every output; long names are folders that begin with an @."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = "".join(part.removeprefix("@") for part in file.relative_to(folder).parts)
        try:
            yield base64.b64decode(name).decode(), json.loads(file.read_bytes())
        except ValueError as error:
            raise UserError(f"{file} is damaged: {error}") from error
