"""Write the study that ran in this folder as a Workflow Run RO-Crate, which others' tools read.

    ./run crate [CONFIGFILE ...]

Name the files that the study was called with. The crate is `ro-crate-metadata.json`.
"""

import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from fbftl.data import datasets
from fbftl.data import dialogues as splits
from fbftl.ground.errors import UserError, ending_with_sentence
from fbftl.ground.files import write_json
from fbftl.models.source import check
from fbftl.plan.opened import Prepared
from fbftl.study.config import Study

CRATE, LOCK = "ro-crate-metadata.json", "envs/requirements.lock"


def main(*files: str) -> None:
    """Write the configuration and the crate.

    Raises:
        UserError: if the configuration is wrong, or asks for other runs than are there.
    """
    # Only who asks for a crate needs the package.
    from fbftl.findings.crate import crate_of

    prepared = Prepared.of_files(Path(), files)
    if not prepared.plan().is_finished:
        raise UserError(
            "the study is not finished; run it first, or give the files that it was called with"
        )
    study, results = prepared.call.study, Path("results")
    configuration = results / "study.json"
    write_json(configuration, study.config)
    inputs = {"config.yaml", LOCK, *files, *read_by(study), str(configuration)}
    description = f"Tasks {', '.join(study.tasks)}; experiments {', '.join(sorted(study.paper))}."
    crate = crate_of("Snakefile", sorted(inputs), results, description, version("snakemake"))
    write_json(CRATE, crate)
    print(f"{CRATE} describes the results in {results} and {len(inputs)} files below them")


def read_by(study: Study) -> Iterator[str]:
    """Yield the files that a study reads: printed numbers, data and weights, in folders each."""
    folder = study.config["data_folder"]
    named = ["published"]
    for block in map(study.task, study.tasks):
        data = splits if block["kind"] == "dialogues" else datasets
        named += [*data.files(block["data"], folder), *check.files(block["source"], folder)]
    for path in map(Path, named):
        below = path.rglob("*") if path.is_dir() else [path]
        yield from (str(file) for file in below if file.is_file())


if __name__ == "__main__":
    with ending_with_sentence():
        main(*sys.argv[1:])
