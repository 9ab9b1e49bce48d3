"""Write the study that ran in this folder as a Workflow Run RO-Crate, which others' tools read.

    ./run crate [CONFIGFILE ...]

Name the files that the study was called with. The crate is `ro-crate-metadata.json`.
"""

import sys
from importlib.metadata import version
from pathlib import Path

from fbftl.findings.asked import jobs_in, require_runs
from fbftl.findings.made import results
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json
from fbftl.study.resolved import study_of

NAME = "Study of feature-based federated transfer learning"
LICENCE = "https://spdx.org/licenses/MIT"
CRATE, STUDY = "ro-crate-metadata.json", "results/study.json"


def main(*files: str) -> None:
    """Write the configuration and the crate.

    Raises:
        UserError: if no study was finished here, the configuration is wrong, or the runs
            are not those that it asks for.
    """
    # Only who asks for a crate needs the package.
    from fbftl.findings.crate import Described, StudyCrate

    made, study = results(Path()), study_of(Path(), files)
    require_runs(jobs_in(study), Path())
    write_json(STUDY, study.config)
    experiments = sorted({one for own in study.settings.values() for one in own})
    said = f"Tasks {', '.join(study.tasks)}; experiments {', '.join(experiments)}."
    about = Described(NAME, said, LICENCE, "Snakefile", "scripts", version("snakemake"), STUDY)
    write_json(CRATE, StudyCrate(Path(), made, about).document())
    print(f"{CRATE} tells of {len(made):,} results")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
