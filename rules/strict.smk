"""Where the project's own files are; configuration files read strictly before Snakemake reads them.

Snakemake says less of their faults: it lets the last of two equal keys win, and ends in a traceback
over an alias below its own anchor. Those of --configfile it has read by now; there `./run` comes
before it. Where the workflow is a module, what imports it has read its own by now too.
"""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

BASE = Path(os.fspath(workflow.current_basedir)).parent
"""The project's folder, which is not where a study runs if the workflow is a module."""

if find_spec("numpy") is None:
    sys.exit(
        "the plan needs packages beside Snakemake; pip install --requirement "
        f"{BASE}/envs/requirements.txt --constraint {BASE}/envs/requirements.lock"
    )

sys.path.insert(0, str(BASE / "scripts"))

from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import read_config_file


def of_project(path):
    """Return one of the project's own files, seen from the folder in which the study runs.

    It lies beside the scripts even where results lie in an object store.
    """
    return local(str(Path(os.path.relpath(BASE), path)))


if workflow.is_main_process:
    own = ["config.yaml"] if Path(workflow.basedir) == BASE else []
    try:
        for path in [*own, *workflow.configfiles]:
            read_config_file(path)
    except UserError as error:
        sys.exit(str(error))
