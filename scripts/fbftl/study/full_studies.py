"""Find the full studies of a system, `studies/full/*.yaml`, and lay them over a configuration.

What a full study makes is in `studies/full/{system}.yaml`, or in several files
`studies/full/{system}-{name}.yaml`, written before any of its runs is looked at: its settings and
its seeds, from 100 on. A call makes all of them, or the file that it names by `{system}-{name}`.
A task's size, what its runs can bear out, is the ending of its name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.model.block import each_seed
from fbftl.study.systems import StudyFile, System, read_system, require_defined_once
from fbftl.study.yaml_files import LIKE, laid_over, read_yaml

FULL = "full"
"""The size of a task whose runs get a verdict, and the ending of its name."""

FIRST_SEED = 100
"""Least seed of a full study; those below are left to quick studies and to tuning."""


class FullStudyFile(StudyFile):
    """What the file of a full study says, and folders that it names as the configuration does."""

    data_folder: str | None = None
    scratch_folder: str | None = None


def read_every_full(root: Path) -> list[System]:
    """Return the full studies of the project as they are written.

    Raises:
        UserError: where a file cannot be read.
    """
    paths = sorted((root / "studies" / FULL).glob("*.yaml"))
    paths.sort(key=lambda path: (path.stem.partition("-")[0], "-" in path.stem))
    return [read_system(root, path.relative_to(root), FullStudyFile) for path in paths]


def read_of_size(root: Path, config: Mapping[str, Any], systems: Sequence[System]) -> list[System]:
    """Return the studies that `size` and `system` of a configuration name; none where quick.

    A study knows the tasks and experiments of all files of its system. A task may be like one that
    every call knows, or like one of another study of the project.

    Args:
        root: folder of `config.yaml` and `studies/`.
        config: as loaded from YAML.
        systems: whose tasks full studies may extend, as those of the configuration.

    Raises:
        UserError: where the two keys name no study, or a file holds what is no full study.
    """
    size, named, papers = config.get("size"), config.get("system"), config.get("papers")
    if size != FULL:
        if named is not None:
            raise UserError(
                f"config: system is '{named}', but size is {size}; set size: full, or name a paper "
                "by papers"
            )
        return []
    if papers is not None:
        raise UserError(
            f"config: size is {size} and papers is {papers}, but a full study is of one system; "
            "leave papers out"
        )
    by_name: dict[str, list[System]] = {}
    for study in read_every_full(root):
        stem = Path(study.name).name
        for name in {stem.partition("-")[0], stem}:
            by_name.setdefault(name, []).append(study)
    if named not in by_name:
        raise UserError(
            f"config: system is {named!r}, which has no full study{suggestion(named, by_name)}"
        )
    of_system = by_name[named.partition("-")[0]]
    require_defined_once(replace(study, experiments={}) for study in of_system)
    for study in of_system:
        for fault in _faults(study):
            raise UserError(f"{study.file}: {fault}")
    known = {*(config.get("tasks") or {})}.union(*(each.tasks for each in systems))
    extended = {str(block.get(LIKE)) for each in of_system for block in each.tasks.values()} - known
    tasks = {
        name: block
        for path in sorted((root / "studies").glob("*.yaml"))
        for name, block in (read_yaml(path).get("tasks") or {}).items()
        if name in extended and "data" in block
    }
    tasks |= {name: block for each in of_system for name, block in each.tasks.items()}
    experiments = {name: block for each in of_system for name, block in each.experiments.items()}
    return [replace(study, tasks=tasks, experiments=experiments) for study in by_name[named]]


def _faults(study: System) -> Iterator[str]:
    """Yield tasks or seeds that could be taken for those of another size."""
    for name in (*study.tasks, *study.study["tasks"]):
        if not name.endswith(f"-{FULL}"):
            yield (
                f"the task '{name}' is of a full study, whose tasks end in -{FULL}; call it "
                f"'{name}-{FULL}'"
            )
    for name, block in study.tasks.items():
        if "seeds" not in block and not str(block.get(LIKE)).endswith(f"-{FULL}"):
            yield f"tasks.{name} lacks the key 'seeds'; give some from {FIRST_SEED} on"
        listed = each_seed(block.get("seeds"))
        for seed in listed if isinstance(listed, list) else ():
            if isinstance(seed, int) and seed < FIRST_SEED:
                yield (
                    f"tasks.{name}.seeds has {seed}, but seeds below {FIRST_SEED} are those of "
                    f"quick studies; give seeds from {FIRST_SEED} on"
                )


def laid_on_top(config: Mapping[str, Any], studies: Sequence[System]) -> dict[str, Any]:
    """Return a configuration with the tasks and experiments of full studies.

    They go over what the configuration says of an experiment: nothing is changed in a study that
    was fixed.

    Raises:
        UserError: where the configuration says something of one of their tasks itself.
    """
    merged = dict(config)
    for study in studies:
        for name in study.tasks.keys() & (config.get("tasks") or {}).keys():
            raise UserError(f"config: tasks.{name} is fixed by {study.file}; leave it out here")
        for key in ("tasks", "experiments"):
            merged[key] = laid_over(merged.get(key) or {}, getattr(study, key))
    return merged


def with_folders(config: Mapping[str, Any], studies: Sequence[System]) -> dict[str, Any]:
    """Return a configuration with the folders that studies name, where it names none itself."""
    keys = ("data_folder", "scratch_folder")
    named = {key: folder for each in studies for key in keys if (folder := getattr(each, key))}
    return {**config, **{k: v for k, v in named.items() if config.get(k) is None}}


def require_made(settings: Mapping[str, Mapping[str, Any]], studies: Sequence[System]) -> None:
    """Refuse a full study that names an experiment which none of its tasks has.

    Args:
        settings: by task and experiment, that a call makes.
        studies: its full studies.

    Raises:
        UserError: naming file, experiment and remedy.
    """
    for study in studies:
        made = {name for task in study.study["tasks"] for name in settings[task]}
        for name in study.study["experiments"]:
            if name not in made:
                raise UserError(
                    f"{study.file}: the experiment '{name}' is for other tasks than "
                    f"{', '.join(study.study['tasks'])}; set experiments.{name}.tasks there"
                )
