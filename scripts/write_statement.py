"""State what the study that ran in this folder was made from, as in-toto and SLSA have it.

    ./run statement [CONFIGFILE ...]

Name the files that the study was called with. The statement is `statement.json`.
"""

import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from fbftl.data import datasets
from fbftl.data.dialogues import splits
from fbftl.findings.asked import jobs_in, require_runs
from fbftl.findings.made import results
from fbftl.findings.statement import statement, written
from fbftl.ground import provenance
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_text
from fbftl.models.source import check
from fbftl.study.config import Study
from fbftl.study.resolved import study_of

STATEMENT, LOCK = "statement.json", "envs/requirements.lock"


def main(*files: str) -> None:
    """Write the statement.

    Raises:
        UserError: if no study was finished here, the configuration is wrong, or the runs
            are not those that it asks for.
    """
    made, study = results(Path()), study_of(Path(), files)
    require_runs(jobs_in(study), Path())
    given = {path for one in made.values() for path in one.inputs if path not in made}
    rested = {"config.yaml", LOCK, *files, *given, *named(study)}
    digests = {path: sha256(path) for path in rested if Path(path).is_file()}
    engine = {"snakemake": version("snakemake"), "python": python_version()}
    said = statement(made, study.config, digests, provenance.commit(), engine)
    write_text(STATEMENT, written(said).decode())
    print(f"{STATEMENT} tells of {len(made):,} results and of {len(digests):,} files below them")


def named(study: Study) -> Iterator[str]:
    """Yield the files of data and weights that a study names, those in its folders one by one."""
    folder = study.config["data_folder"]
    for task in study.tasks:
        block = study.task(task)
        data = splits if block["kind"] == "dialogues" else datasets
        for path in (*data.files(block["data"], folder), *check.files(block["source"], folder)):
            below = sorted(Path(path).rglob("*")) if Path(path).is_dir() else [Path(path)]
            yield from map(str, below)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
