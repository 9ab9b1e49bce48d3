"""The systems whose studies the project holds, by paper: `studies/{system}.yaml`.

Every call knows the tasks and experiments of all of them. Which are made says the block `study` of
the configuration or, where `papers` names some, the block of each of their systems.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import laid_over, read_yaml

DEFAULT = "fbftl"
"""The paper of the default study: of `config.yaml` and of what is laid over it."""

PAPERS: dict[str, tuple[str, ...]] = {
    DEFAULT: ("dialogues",),
    "fedfeat": ("fedfeat",),
    "eppfl": ("eppfl",),
    "thesis": ("budget", "ecos", "splitmix", "splitmix-robust", "fade"),
    "survey": ("dpsgd", "frameworks"),
    "rivals": ("rivals",),
}
"""Systems of each paper that have a study of their own, beside the default one."""

ALL = "all"
"""What `papers` says for every paper that has a study."""

KEYS = ("study", "tasks", "experiments")
"""What a system's file holds."""


@dataclass(frozen=True)
class System:
    """What `studies/{name}.yaml` says.

    folders: those that a full study names beside it, by the configuration's key.
    """

    name: str
    paper: str
    study: Mapping[str, Any]
    tasks: Mapping[str, Any]
    experiments: Mapping[str, Any]
    folders: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyBlock:
    """What a study makes: its experiments on its tasks.

    where: for sentences: the file and the key that say so.
    """

    where: str
    study: Mapping[str, Any]


def read_systems(root: Path) -> list[System]:
    """Return the listed systems.

    Args:
        root: folder of `config.yaml` and `studies/`.

    Raises:
        UserError: where a file cannot be read or says anything else, or a name is told twice.
    """
    systems = [_system(root, name, paper) for paper, names in PAPERS.items() for name in names]
    default = _read(root, "config.yaml")
    studies = {"config.yaml": {key: default.get(key) or {} for key in KEYS}}
    studies |= {
        file_of(system.name): {key: getattr(system, key) for key in KEYS} for system in systems
    }
    require_defined_once(studies)
    return systems


def _system(root: Path, name: str, paper: str) -> System:
    return System(name, paper, **read_blocks(root, file_of(name)))


def read_blocks(root: Path, file: str, keys: Sequence[str] = KEYS) -> dict[str, Any]:
    """Return what a system's file says.

    Args:
        root: folder of `config.yaml` and `studies/`.
        file: its name there.
        keys: that it may hold; those of `KEYS` it must.

    Raises:
        UserError: where it cannot be read, lacks a block, or says anything else.
    """
    study = _read(root, file)
    for key in KEYS:
        if not isinstance(study.get(key), Mapping):
            raise UserError(f"{file} lacks the block '{key}'; add it")
    for key in study:
        if key not in keys:
            raise UserError(
                f"{file} has the key '{key}', but a system's study holds {', '.join(keys)} only; "
                "say it in a task or in an experiment"
            )
    return study


def file_of(name: str) -> str:
    """Return the file of a system's study in the project's folder."""
    return f"studies/{name}.yaml"


def _read(root: Path, file: str) -> dict[str, Any]:
    study = read_yaml(root / file)
    if not isinstance(study, dict):
        raise UserError(f"{file} holds no study; write the blocks {', '.join(KEYS)}")
    return study


def require_defined_once(studies: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a task or an experiment that two studies tell.

    Args:
        studies: what each study says, by its file.
    """
    for (file, first), (other_file, second) in combinations(studies.items(), 2):
        for what in ("task", "experiment"):
            for name in first[f"{what}s"]:
                if name in second[f"{what}s"]:
                    raise UserError(
                        f"the {what} '{name}' is defined by {file} and by {other_file}; "
                        "rename one of them"
                    )


def with_systems(config: Mapping[str, Any], systems: Iterable[System]) -> dict[str, Any]:
    """Return a configuration with the tasks and experiments of all systems.

    What the configuration says of them itself goes over what their files say.
    """
    merged = dict(config)
    for system in systems:
        for key in ("tasks", "experiments"):
            merged[key] = laid_over(getattr(system, key), merged.get(key, {}))
    return merged


def chosen(
    config: Mapping[str, Any], systems: Sequence[System], of_size: Sequence[System] = ()
) -> list[StudyBlock]:
    """Return what a call makes.

    Args:
        config: with `study`, and `papers`: null, `all`, a paper or a list of papers.
        systems: the listed systems.
        of_size: full studies, which are made instead.

    Raises:
        UserError: where a paper has no study.
    """
    default, papers = StudyBlock("config: study", config["study"]), config["papers"]
    if of_size:
        return [_block(study) for study in of_size]
    if papers is None:
        return [default]
    by_paper: dict[str, list[StudyBlock]] = {DEFAULT: [default]}
    for system in systems:
        by_paper.setdefault(system.paper, []).append(_block(system))
    wanted = list(by_paper) if papers == ALL else [papers] if isinstance(papers, str) else papers
    for paper in wanted:
        if paper not in by_paper:
            raise UserError(
                f"config: papers names '{paper}', which has no study; choose among "
                f"{', '.join(by_paper)}, or {ALL}"
            )
    return [block for paper in wanted for block in by_paper[paper]]


def _block(system: System) -> StudyBlock:
    return StudyBlock(f"{file_of(system.name)}: study", system.study)


def paper_of(experiment: str, systems: Iterable[System]) -> str:
    """Return the paper whose study tells an experiment; what no system tells is the default's."""
    return next((system.paper for system in systems if experiment in system.experiments), DEFAULT)
