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
from fbftl.findings.expected_runs import jobs_in, require_runs
from fbftl.findings.origins import arithmetics, distinct, from_here, results
from fbftl.findings.statement import statement, written
from fbftl.ground import provenance
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_text
from fbftl.models.source import check
from fbftl.study.config import Study
from fbftl.study.resolved import folder_of, study_of

STATEMENT, LOCK = "statement.json", "envs/requirements.lock"


def main(*files: str) -> None:
    """Write the statement.

    Raises:
        UserError: if no study was finished here, the configuration is wrong, or the runs
            are not those that it asks for.
    """
    study = study_of(Path(), files)
    folder = folder_of(study)
    by_path = from_here(results(folder), folder)
    require_runs(jobs_in(study), folder)
    read = {path for result in by_path.values() for path in result.inputs if path not in by_path}
    rested = {"config.yaml", LOCK, *files, *read, *named(study)}
    digests = {path: sha256(path) for path in rested if Path(path).is_file()}
    engine = {"snakemake": version("snakemake"), "python": python_version()}
    arithmetic = distinct(arithmetics(folder / "results").values())
    document = statement(by_path, study.config, digests, provenance.commit(), engine, arithmetic)
    write_text(STATEMENT, written(document).decode())
    print(f"{STATEMENT} describes {len(by_path):,} results and {len(digests):,} files below them")


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
