"""The study that a call of the workflow would make, read without the workflow engine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fbftl.study.config import Study, resolve
from fbftl.study.full_studies import read_of_size, with_folders
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import laid_over, read_config_file, read_yaml


def study_of(root: Path, files: Sequence[str] = (), more: Mapping[str, Any] | None = None) -> Study:
    """Return the checked study.

    Args:
        root: folder of the project.
        files: of `--configfile`, in their order.
        more: keys of `--config`.

    Raises:
        UserError: if a file cannot be read or says what cannot be.
    """
    schema = read_yaml(root / "rules" / "schemas" / "config.schema.yaml")
    config: dict[str, Any] = read_yaml(root / "config.yaml")
    for path in files:
        config = laid_over(config, read_config_file(path))
    config = laid_over(config, more or {})
    systems = read_systems(root)
    of_size = read_of_size(root, config, systems)
    return resolve(with_folders(config, of_size), schema, systems, of_size)


def folder_of(study: Study) -> Path:
    """Return the folder that a study runs in, seen from the project's: there, or one of its own."""
    return Path(study.config["results_folder"] or "")
