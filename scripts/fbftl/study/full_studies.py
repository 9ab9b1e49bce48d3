"""Find the full studies of a system, `studies/full/*.yaml`, and lay them over a configuration.

What a full study makes is in `studies/full/{system}.yaml`, or in several files
`studies/full/{system}-{name}.yaml`, written before any of its runs is looked at: its settings and
its seeds, from 100 on. A call makes all of them, or the file that it names by `{system}-{name}`.
A task's size, what its runs can bear out, is the ending of its name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.model.validation import filled
from fbftl.study.systems import StudyFile, System, require_defined_once
from fbftl.study.yaml_files import LIKE, laid_over, read_yaml


class Size(StrEnum):
    """What a task's runs are for; only those of a full study get a verdict."""

    QUICK = "quick"
    FULL = "full"


def size_of(task: str) -> Size:
    """Return a task's size: quick unless its name ends in `-full`."""
    return Size.FULL if task.endswith(f"-{Size.FULL}") else Size.QUICK


FOLDER = Path("studies", "full")

FIRST_SEED = 100
"""Least seed of a full study; those below are left to quick studies and to tuning."""


class FullStudyFile(StudyFile):
    """What the file of a full study says, and folders that it names as the configuration does."""

    data_folder: str | None = None
    scratch_folder: str | None = None


def read_of_size(root: Path, config: Mapping[str, Any], systems: Sequence[System]) -> list[System]:
    """Return the studies that `size` and `system` of a configuration name; none where quick.

    Args:
        root: folder of `config.yaml` and `studies/`.
        config: as loaded from YAML.
        systems: whose tasks full studies may extend, as those of the configuration.

    Raises:
        UserError: where the two keys name no study, or a file holds what is no full study.
    """
    size, name = config.get("size", Size.QUICK), config.get("system")
    listed = systems_of(root)
    files = [Path(file).stem for each in listed for file in files_of(root, each)]
    if size != Size.FULL:
        if name is not None:
            raise UserError(
                f"config: system is '{name}', but size is {size}; set size: full, or name a paper "
                "by papers"
            )
        return []
    if config.get("papers") is not None:
        raise UserError(
            f"config: size is {size} and papers is {config['papers']}, but a full study is of one "
            "system; leave papers out"
        )
    if name is None:
        raise UserError(
            f"config: size is {size}, but system is null; name one of {', '.join(listed)}"
        )
    if name not in (names := [*dict.fromkeys([*listed, *files])]):
        raise UserError(
            f"config: system is '{name}', which has no full study{suggestion(name, names)}"
        )
    known = {*(config.get("tasks") or {})}.union(*(each.tasks for each in systems))
    studies = read_full(root, system_named(name), known)
    if name in listed:
        return studies
    # One file makes its own tasks and knows those of all files.
    tasks = {key: block for study in studies for key, block in study.tasks.items()}
    experiments = {key: block for study in studies for key, block in study.experiments.items()}
    (alone,) = (study for study in studies if study.name == f"{FOLDER.name}/{name}")
    return [replace(alone, tasks=tasks, experiments=experiments)]


def systems_of(root: Path) -> list[str]:
    """Return the systems that have a full study."""
    return sorted({system_named(path.stem) for path in (root / FOLDER).glob("*.yaml")})


def files_of(root: Path, system: str) -> list[str]:
    """Return the files of a system's full study, as they are named below the project's folder."""
    folder = root / FOLDER
    paths = [folder / f"{system}.yaml", *sorted(folder.glob(f"{system}-*.yaml"))]
    return [path.relative_to(root).as_posix() for path in paths if path.is_file()]


def system_named(name: str) -> str:
    """Return the system of a full study or of one of its files: `fbftl` of `fbftl-images`."""
    return name.partition("-")[0]


def read_every_full(root: Path) -> list[System]:
    """Return all full studies of the project as they are written, for the papers that they are of.

    Raises:
        UserError: where a file cannot be read.
    """
    return [_read(root, file) for system in systems_of(root) for file in files_of(root, system)]


def read_full(root: Path, system: str, known: Iterable[str] = ()) -> list[System]:
    """Return the full studies of a system.

    Args:
        root: folder of `studies/`.
        system: its name.
        known: names of the tasks that every call knows. A task may be like one of these, or like
            one of another study of the project, which is then among the study's tasks.

    Raises:
        UserError: where a task or its seeds could be taken for those of another size, a name is
            told twice, or a task is like one that no study defines.
    """
    studies = [_read(root, file) for file in files_of(root, system)]
    require_defined_once(replace(study, experiments={}) for study in studies)
    full = {name for study in studies for name in study.tasks}
    for study in studies:
        for fault in _faults(study, full):
            raise UserError(f"{study.file}: {fault}")
    there = {*known, *full}
    return [replace(s, tasks={**s.tasks, **_extended(root, s.tasks, there)}) for s in studies]


def _read(root: Path, file: str) -> System:
    content = filled(FullStudyFile, read_yaml(root / file), f"{file}:")
    blocks = {key: content.pop(key) for key in StudyFile.model_fields}
    folders = {key: folder for key, folder in content.items() if folder is not None}
    return System(f"{FOLDER.name}/{Path(file).stem}", **blocks, folders=folders)


def _faults(study: System, full: set[str]) -> Iterator[str]:
    """Yield tasks or seeds that could be taken for those of another size.

    Args:
        study: one file of a full study.
        full: the tasks of all files of the system, from which one that is like them has its seeds.
    """
    for name in (*study.tasks, *study.study["tasks"]):
        if size_of(name) != Size.FULL:
            yield (
                f"the task '{name}' is of a full study, whose tasks end in -{Size.FULL}; call it "
                f"'{name}-{Size.FULL}'"
            )
    for name, block in study.tasks.items():
        other = str(block.get(LIKE))
        if "seeds" not in block and other not in full:
            yield (
                f"tasks.{name}.{LIKE} names the task '{other}', which no file of the system "
                f"has{suggestion(other, full)}"
                if size_of(other) == Size.FULL
                else f"tasks.{name} lacks the key 'seeds'; give some from {FIRST_SEED} on"
            )
        listed = block.get("seeds")
        for seed in listed if isinstance(listed, list) else ():
            if isinstance(seed, int) and seed < FIRST_SEED:
                yield (
                    f"tasks.{name}.seeds has {seed}, but seeds below {FIRST_SEED} are those of "
                    f"quick studies; give seeds from {FIRST_SEED} on"
                )


def _extended(root: Path, tasks: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the tasks of other studies of the project that some tasks are like, by name.

    Raises:
        UserError: where several have one of that name.
    """
    further = {str(block[LIKE]) for block in tasks.values() if LIKE in block} - known
    found: dict[str, Any] = {}
    files: dict[str, str] = {}
    for path in sorted((root / "studies").glob("*.yaml")) if further else ():
        defined = read_yaml(path).get("tasks") or {}
        for name in further & defined.keys():
            if "data" in (defined[name] or {}):
                if name in found:
                    raise UserError(
                        f"the task '{name}' is defined by studies/{files[name]} and by "
                        f"studies/{path.name}; extend another one"
                    )
                found[name], files[name] = defined[name], path.name
    return found


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
    named = {key: folder for study in studies for key, folder in study.folders.items()}
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
