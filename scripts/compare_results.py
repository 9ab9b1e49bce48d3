"""Say where the results of two finished folders part first, and why.

    ./run compare A B

The jobs' logs say what each job wrote, Snakemake's notes how it was made.
Files that say when and where a job ran are left out.
"""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from fbftl.ground.departures import Made, departing, first_departures
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.seals import sealed

SHOWN = 10
"""Departures that are listed at most."""


def main(one: str, other: str) -> int:
    """Print where two folders part; return 0 if nowhere, else 1.

    Raises:
        UserError: if one of them holds no finished study.
    """
    first, second = results(Path(one)), results(Path(other))
    departed = departing(first, second)
    if not departed:
        print(f"{len(first):,} results, all equal")
        return 0
    print(f"{len(departed):,} of {len(first.keys() | second.keys()):,} results differ; first")
    begin = first_departures(first, second)
    for departure in begin[:SHOWN]:
        print(f"  {departure.path} (rule {departure.rule}): {departure.reason}")
    if len(begin) > SHOWN:
        print(f"  and {len(begin) - SHOWN:,} more, which rest on none of these")
    return 1


def results(folder: Path) -> dict[str, Made]:
    """Return how each result of a folder was made, by its path there.

    Raises:
        UserError: if there is none.
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
        )
        for path, noted in records(folder / ".snakemake" / "metadata")
        if path in digests and not path.endswith(".meta.json") and (folder / path).is_file()
    }
    if not made:
        raise UserError(f"{folder} holds no finished study; name a folder in which one was run")
    return made


def records(folder: Path) -> Iterator[tuple[str, dict]]:
    """Yield what Snakemake noted of every output; long names are folders that begin with an @."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = "".join(part.removeprefix("@") for part in file.relative_to(folder).parts)
        try:
            yield base64.b64decode(name).decode(), json.loads(file.read_bytes())
        except ValueError as error:
            raise UserError(f"{file} is damaged: {error}") from error


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]) if len(sys.argv) == 3 else "usage: ./run compare A B")
    except UserError as error:
        sys.exit(str(error))
