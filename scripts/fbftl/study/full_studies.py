"""Full studies of systems.

What a full study makes is in `studies/full/{system}.yaml`, or in several files
`studies/full/{system}-{name}.yaml`, written before any of its runs is looked at: its settings and
its seeds, from 100 on. A call makes all of them, or the file that it names by `{system}-{name}`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study import alike
from fbftl.study.sizes import Size, size_of
from fbftl.study.systems import KEYS, System, file_of, read_blocks, require_defined_once
from fbftl.study.yaml_files import laid_over, read_yaml

PAPER = {
    "fbftl": "fbftl",
    "rivals": "rivals",
    "eppfl": "eppfl",
    "fedfeat": "fedfeat",
    "budget": "thesis",
    "fade": "thesis",
    "splitmix": "thesis",
    "robust": "thesis",
    "ecos": "thesis",
    "dpsgd": "survey",
    "frameworks": "survey",
}
"""Paper of each system that a full study may be of."""

FOLDER = Path("studies", "full")

FOLDERS = ("data_folder", "scratch_folder")
"""Folders that a full study may name beside what it makes, as the configuration does."""

FIRST_SEED = 100
"""Least seed of a full study; those below are left to quick studies and to tuning."""


def read_of_size(root: Path, config: Mapping[str, Any], systems: Sequence[System]) -> list[System]:
    """Return the studies that `size` and `system` of a configuration name; none where quick.

    Args:
        root: folder of `config.yaml` and `studies/`.
        config: as loaded from YAML.
        systems: whose tasks full studies may extend, as those of the configuration.

    Raises:
        UserError: where the two keys name no study, or a file holds what is no full study.
    """
    size, system = config.get("size", Size.QUICK), config.get("system")
    if size != Size.FULL:
        if system is not None:
            raise UserError(
                f"config: system is '{system}', but size is {size}; say size: full, "
                "or name a paper by papers"
            )
        return []
    if config.get("papers") is not None:
        raise UserError(
            f"config: size is {size} and papers is {config['papers']}, but a study of this size is "
            "of one system; leave papers out"
        )
    known = {*(config.get("tasks") or {})}.union(*(each.tasks for each in systems))
    name = require_full(root, size, system)
    studies = read_full(root, system_named(name), known)
    if name not in PAPER:
        studies = [_alone(studies, f"{FOLDER.name}/{name}")]
    return studies


def _alone(studies: Sequence[System], name: str) -> System:
    """Return one file of a full study, which makes its own tasks and knows those of all files."""
    tasks, experiments = (
        {key: block for study in studies for key, block in getattr(study, of).items()}
        for of in ("tasks", "experiments")
    )
    (study,) = (study for study in studies if study.name == name)
    return replace(study, tasks=tasks, experiments=experiments)


def require_full(root: Path, size: str, system: str | None) -> str:
    """Return the name of a system that has a full study, or of one file of such a study.

    Raises:
        UserError: if no system is named, or it is unknown or has no full study.
    """
    if system is None:
        raise UserError(
            f"config: size is {size}, but system is null; name one of {', '.join(PAPER)}"
        )
    files = [Path(file).stem for name in PAPER for file in files_of(root, name)]
    if system not in (names := [*dict.fromkeys([*PAPER, *files])]):
        raise UserError(
            f"config: system is '{system}', which is unknown{suggestion(system, names)}"
        )
    if not files_of(root, system_named(system)):
        raise UserError(
            f"config: system is '{system}', which has no full study yet; write "
            f"{FOLDER}/{system}.yaml, as docs/sizes.md says"
        )
    return system


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
    return [_read(root, file, system) for system in PAPER for file in files_of(root, system)]


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
    studies = [_read(root, file, system) for file in files_of(root, system)]
    require_defined_once({file_of(s.name): {"tasks": s.tasks, "experiments": {}} for s in studies})
    full = {name for study in studies for name in study.tasks}
    for study in studies:
        made = study.study.get("tasks")
        for name in (*study.tasks, *(made if isinstance(made, list) else ())):
            _require_ending(study, name)
        for name, block in study.tasks.items():
            _require_seeds(study, name, block, full)
    there = {*known, *full}
    return [replace(s, tasks={**s.tasks, **_extended(root, s.tasks, there)}) for s in studies]


def _read(root: Path, file: str, system: str) -> System:
    name = f"{FOLDER.name}/{Path(file).stem}"
    blocks = read_blocks(root, file, (*KEYS, *FOLDERS))
    folders = {key: blocks[key] for key in FOLDERS if blocks.get(key) is not None}
    of_study = {key: blocks.get(key) or {} for key in KEYS}
    return System(name, PAPER[system], **of_study, folders=folders)


def _require_ending(study: System, name: str) -> None:
    if size_of(str(name)) != Size.FULL:
        raise UserError(
            f"{file_of(study.name)} has the task '{name}', but tasks of a full study end in "
            f"-{Size.FULL}; call it '{name}-{Size.FULL}'"
        )


def _require_seeds(study: System, name: str, block: Any, full: set[str]) -> None:
    """Refuse a task with seeds below those of full studies, or with the seeds of a smaller one.

    Args:
        study: the file that has the task.
        name: of the task.
        block: what the file says of it.
        full: the tasks of all files of the system, from which one that is like them has its seeds.
    """
    if not isinstance(block, Mapping):
        return  # the schema says more of it
    where, seeds = f"{file_of(study.name)}: tasks.{name}", block.get("seeds")
    other = str(block.get(alike.KEY))
    if "seeds" not in block and other not in full:
        if size_of(other) == Size.FULL:
            raise UserError(
                f"{where}.{alike.KEY} names the task '{other}', which no file of the system "
                f"has{suggestion(other, full)}"
            )
        raise UserError(f"{where} lacks the key 'seeds'; give some from {FIRST_SEED} on")
    listed = seeds if isinstance(seeds, list) else []
    low = [seed for seed in listed if isinstance(seed, int) and seed < FIRST_SEED]
    if low:
        raise UserError(
            f"{where}.seeds has {low[0]}, but seeds below {FIRST_SEED} are those of quick studies; "
            f"give seeds from {FIRST_SEED} on"
        )


def _extended(root: Path, tasks: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the tasks of other studies of the project that some tasks are like, by name."""
    blocks = [block for block in tasks.values() if isinstance(block, Mapping)]
    further = {str(block[alike.KEY]) for block in blocks if alike.KEY in block} - known
    return {name: block for each in further for name, block in _of_a_study(root, each).items()}


def _of_a_study(root: Path, name: str) -> dict[str, Any]:
    """Return a task of a study that no call knows by itself, by its name; empty where none has it.

    Raises:
        UserError: where several have one of that name.
    """
    studies = {path.name: read_yaml(path) for path in sorted((root / "studies").glob("*.yaml"))}
    blocks = {file: (study.get("tasks") or {}).get(name) or {} for file, study in studies.items()}
    whole = {file: block for file, block in blocks.items() if "data" in block}
    if len(whole) > 1:
        raise UserError(
            f"the task '{name}' is defined by studies/{' and by studies/'.join(whole)}; extend "
            "another one"
        )
    return {name: next(iter(whole.values()))} if whole else {}


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
            raise UserError(
                f"config: tasks.{name} is fixed by {file_of(study.name)}; leave it out here"
            )
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
                    f"{file_of(study.name)}: the experiment '{name}' is for other tasks than "
                    f"{', '.join(study.study['tasks'])}; say experiments.{name}.tasks there"
                )
