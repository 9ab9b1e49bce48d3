"""The study that a call of the workflow would make, read without the workflow engine."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

from fbftl.study.config import Study, resolve
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import laid_over, read_config_file, read_yaml


def study_of(root: Path, files: Sequence[str] = ()) -> Study:
    """Return the checked study.

    Args:
        root: folder of the project.
        files: of `--configfile`, in their order.

    Raises:
        UserError: if a file cannot be read or says what cannot be.
    """
    schema = read_yaml(root / "rules" / "schemas" / "config.schema.yaml")
    over = map(read_config_file, files)
    return resolve(
        reduce(laid_over, over, read_yaml(root / "config.yaml")), schema, read_systems(root)
    )
