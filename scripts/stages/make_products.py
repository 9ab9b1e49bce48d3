"""Make products of the store that are missing, each by the script that its note names."""

import gc

if __name__ == "__main__":
    # All that is imported stays: to look for circles in it takes a tenth of a job's start.
    gc.disable()

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fbftl.findings.steps import Step, mapped, run
from fbftl.ground.artefacts import Artefact, Store
from fbftl.ground.digests import DIGESTS, Digests
from fbftl.ground.logs import run_job


def main(note: Mapping[str, Any], store: Store, threads: int) -> None:
    """Make what a note says, one after the other.

    Args:
        note: as the call that planned has written it.
        store: of artefacts.
        threads: threads to compute with.

    Raises:
        UserError: if what is read is not what its name says, or a file of the user's not what it
            was when the note was written.
    """
    digests = Digests(store.root / DIGESTS)
    for making in note["makings"]:
        step = Step(**making["step"])
        for path in filter(None, map(store.artefact_of, step.read)):
            store.require(*path)
        digests.require(making["files"])

        def fill(parts: Mapping[str, Path], step: Step = step) -> None:
            place = partial(placed, parts=parts)
            outputs = {name: mapped(file, place) for name, file in step.outputs.items()}
            run(replace(step, outputs=outputs), note["study"] | {"threads": threads})

        store.make([Artefact(**each) for each in making["artefacts"]], fill)


def placed(path: str, parts: Mapping[str, Path]) -> str:
    """Return where a file, named by kind, key and its own name, goes while it is made."""
    *_, key, name = path.split("/", 2)
    return str(parts[key] / name) if key in parts else path


if __name__ == "__main__":
    gc.freeze()
    gc.enable()
    run_job(snakemake, main)
