"""Configuration files read strictly before Snakemake reads them, which says less of their faults.

It lets the last of two equal keys win, and ends in a traceback over an alias below its own anchor.
Those of --configfile it has read by now; there `./run` comes before it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir, "scripts")))

from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import read_config_file

if workflow.is_main_process:
    try:
        for path in ["config.yaml", *workflow.overwrite_configfiles]:
            read_config_file(path)
    except UserError as error:
        sys.exit(str(error))
