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

from snakemake.settings.types import DeploymentMethod

BASE = Path(os.fspath(workflow.current_basedir)).parent
"""The project's folder, which is not where a study runs if the workflow is a module."""

LEAN = find_spec("numpy") is None
"""Whether Snakemake is here without the packages of jobs, which conda then brings."""

if (
    LEAN
    and DeploymentMethod.CONDA not in workflow.deployment_settings.deployment_method
    and "--lint" not in sys.argv
):
    sys.exit(
        "the plan needs packages beside Snakemake; pip install --requirement "
        f"{BASE}/envs/requirements.txt --constraint {BASE}/envs/requirements.lock"
    )

sys.path.insert(0, str(BASE / "scripts"))

from fbftl.ground import absent
from fbftl.ground.errors import UserError

if LEAN:
    absent.stand_in()

from fbftl.study.yaml_files import read_config_file


def of_project(path):
    """Return one of the project's own files, seen from the folder in which the study runs.

    It lies beside the scripts even where results lie in an object store.
    """
    return local(str(Path(os.path.relpath(BASE), path)))


if workflow.is_main_process:
    defaults = ["config.yaml"] if Path(workflow.basedir) == BASE else []
    try:
        for path in [*defaults, *workflow.configfiles]:
            read_config_file(path)
    except UserError as error:
        sys.exit(str(error))
