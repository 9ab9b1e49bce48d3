"""The systems whose studies the project holds, by paper: `studies/{system}.yaml`.

Every call knows the tasks and experiments of all of them. Which are made says the block `study` of
the configuration or, where `papers` names some, the block of each of their systems.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import read_yaml

DEFAULT = "fbftl"
"""The paper of the default study: of `config.yaml` and of what is laid over it."""

PAPERS: dict[str, tuple[str, ...]] = {
    DEFAULT: (),
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
    """What `studies/{name}.yaml` says."""

    name: str
    paper: str
    study: Mapping[str, Any]
    tasks: Mapping[str, Any]
    experiments: Mapping[str, Any]


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
    told = {"config.yaml": {key: default.get(key) or {} for key in KEYS}}
    told |= {_file(one.name): {key: getattr(one, key) for key in KEYS} for one in systems}
    require_told_once(told)
    return systems


def _system(root: Path, name: str, paper: str) -> System:
    file = _file(name)
    told = _read(root, file)
    for key in KEYS:
        if not isinstance(told.get(key), Mapping):
            raise UserError(f"{file} lacks the block '{key}'; add it")
    for key in told:
        if key not in KEYS:
            raise UserError(
                f"{file} has the key '{key}', but a system's study holds {', '.join(KEYS)} only; "
                "say it in a task or in an experiment"
            )
    return System(name, paper, **told)


def _file(name: str) -> str:
    return f"studies/{name}.yaml"


def _read(root: Path, file: str) -> dict[str, Any]:
    told = read_yaml(root / file)
    if not isinstance(told, dict):
        raise UserError(f"{file} holds no study; write the blocks {', '.join(KEYS)}")
    return told


def require_told_once(studies: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a task or an experiment that two studies tell.

    Args:
        studies: what each study says, by its file.
    """
    for (file, one), (other_file, other) in combinations(studies.items(), 2):
        for what in ("task", "experiment"):
            for name in one[f"{what}s"]:
                if name in other[f"{what}s"]:
                    raise UserError(
                        f"the {what} '{name}' is told by {file} and by {other_file}; "
                        "rename one of them"
                    )


def with_systems(config: Mapping[str, Any], systems: Iterable[System]) -> dict[str, Any]:
    """Return a configuration with the tasks and experiments of all systems.

    What the configuration says of them itself goes over what their files say.
    """
    known = dict(config)
    for system in systems:
        for key in ("tasks", "experiments"):
            known[key] = _laid_over(getattr(system, key), known.get(key, {}))
    return known


def _laid_over(below: Any, above: Any) -> Any:
    """Return one value laid over another as Snakemake does: key by key, lists as a whole."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    shared = {key: _laid_over(below[key], above[key]) for key in above if key in below}
    return {**below, **above, **shared}


def chosen(config: Mapping[str, Any], systems: Sequence[System]) -> list[StudyBlock]:
    """Return what a call makes.

    Args:
        config: with `study`, and `papers`: null, `all`, a paper or a list of papers.
        systems: the listed systems.

    Raises:
        UserError: where a paper has no study.
    """
    default, papers = StudyBlock("config: study", config["study"]), config["papers"]
    if papers is None:
        return [default]
    by_paper: dict[str, list[StudyBlock]] = {DEFAULT: [default]}
    for system in systems:
        block = StudyBlock(f"{_file(system.name)}: study", system.study)
        by_paper.setdefault(system.paper, []).append(block)
    wanted = list(by_paper) if papers == ALL else [papers] if isinstance(papers, str) else papers
    for paper in wanted:
        if paper not in by_paper:
            raise UserError(
                f"config: papers names '{paper}', which has no study; choose among "
                f"{', '.join(by_paper)}, or {ALL}"
            )
    return [block for paper in wanted for block in by_paper[paper]]


def paper_of(experiment: str, systems: Iterable[System]) -> str:
    """Return the paper whose study tells an experiment; what no system tells is the default's."""
    return next((one.paper for one in systems if experiment in one.experiments), DEFAULT)
