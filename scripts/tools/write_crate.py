"""Write the study that ran in this folder as a Workflow Run RO-Crate, which others' tools read.

    ./run crate [CONFIGFILE ...]

Name the files that the study was called with. The crate is `ro-crate-metadata.json`.
"""

import sys
from importlib.metadata import version
from pathlib import Path

from fbftl.findings.expected_runs import jobs_in, require_runs
from fbftl.findings.origins import arithmetics, distinct, from_here, results
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json
from fbftl.study.resolved import folder_of, study_of

NAME = "Study of feature-based federated transfer learning"
LICENCE = "https://spdx.org/licenses/MIT"
CRATE = "ro-crate-metadata.json"


def main(*files: str) -> None:
    """Write the configuration and the crate.

    Raises:
        UserError: if no study was finished here, the configuration is wrong, or the runs
            are not those that it asks for.
    """
    # Only who asks for a crate needs the package.
    from fbftl.findings.crate import Described, StudyCrate

    study = study_of(Path(), files)
    folder = folder_of(study)
    by_path = from_here(results(folder), folder)
    require_runs(jobs_in(study), folder)
    configuration = folder / "results" / "study.json"
    write_json(configuration, study.config)
    experiments = sorted(
        {experiment for of_task in study.settings.values() for experiment in of_task}
    )
    description = f"Tasks {', '.join(study.tasks)}; experiments {', '.join(experiments)}."
    arithmetic = distinct(arithmetics(folder / "results").values())
    engine = version("snakemake")
    about = Described(
        NAME, description, LICENCE, "Snakefile", "scripts", engine, str(configuration), arithmetic
    )
    write_json(CRATE, StudyCrate(Path(), by_path, about).document())
    print(f"{CRATE} describes {len(by_path):,} results")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
