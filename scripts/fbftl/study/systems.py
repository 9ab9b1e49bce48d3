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
from fbftl.study.model.block import ConfigBlock, Name, TaskName
from fbftl.study.model.configuration import StudyNames
from fbftl.study.model.validation import filled
from fbftl.study.yaml_files import laid_over, read_yaml

DEFAULT = "fbftl"
"""The paper of the default study: of `config.yaml` and of what is laid over it."""

PAPERS: dict[str, tuple[str, ...]] = {
    DEFAULT: ("dialogues",),
    "fedfeat": ("fedfeat",),
    "eppfl": ("eppfl",),
    "thesis": ("budget", "ecos", "splitmix", "splitmix-robust", "fade"),
    "survey": ("dpsgd", "frameworks"),
    "rivals": ("rivals", "front"),
}
"""Systems of each paper that have a study of their own, beside the default one."""

ALL = "all"
"""What `papers` says for every paper that has a study."""


class StudyFile(ConfigBlock):
    """What the file of a study says: what it makes, and tasks and experiments that it defines."""

    study: StudyNames
    tasks: dict[TaskName, dict[str, Any]]
    experiments: dict[Name, dict[str, Any]]


@dataclass(frozen=True)
class System:
    """What `studies/{name}.yaml` says.

    study: experiments that it makes, and the tasks that it makes them on.
    folders: those that a full study names beside it, by the configuration's key.
    """

    name: str
    paper: str
    study: Mapping[str, list[str]]
    tasks: Mapping[str, Any]
    experiments: Mapping[str, Any]
    folders: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The file, in the project's folder."""
        return f"studies/{self.name}.yaml"

    @property
    def where(self) -> str:
        """Where the block `study` is, for sentences."""
        return f"{self.file}: study"


class DefaultStudy(System):
    """What the configuration says itself."""

    file = "config.yaml"
    where = "config: study"


def read_systems(root: Path) -> list[System]:
    """Return the listed systems.

    Args:
        root: folder of `config.yaml` and `studies/`.

    Raises:
        UserError: where a file cannot be read or says anything else, or a name is told twice.
    """
    systems = [
        System(name, paper, **filled(StudyFile, read_yaml(root / file), f"{file}:"))
        for paper, names in PAPERS.items()
        for name in names
        for file in [f"studies/{name}.yaml"]
    ]
    default = read_yaml(root / "config.yaml")
    blocks = {key: default.get(key) or {} for key in StudyFile.model_fields}
    require_defined_once([DefaultStudy(DEFAULT, DEFAULT, **blocks), *systems])
    return systems


def require_defined_once(studies: Iterable[System]) -> None:
    """Refuse a task or an experiment that two studies tell."""
    for first, second in combinations(studies, 2):
        for what, one, other in (
            ("task", first.tasks, second.tasks),
            ("experiment", first.experiments, second.experiments),
        ):
            for name in one:
                if name in other:
                    raise UserError(
                        f"the {what} '{name}' is defined by {first.file} and by {second.file}; "
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
) -> Sequence[System]:
    """Return the studies that a call makes.

    Args:
        config: with `study`, and `papers`: null, `all`, a paper or a list of papers.
        systems: the listed systems.
        of_size: full studies, which are made instead.

    Raises:
        UserError: where a paper has no study.
    """
    default = DefaultStudy(DEFAULT, DEFAULT, **{k: config[k] for k in StudyFile.model_fields})
    papers = config["papers"]
    if of_size:
        return of_size
    if papers is None:
        return [default]
    by_paper: dict[str, list[System]] = {DEFAULT: [default]}
    for system in systems:
        by_paper.setdefault(system.paper, []).append(system)
    wanted = list(by_paper) if papers == ALL else [papers] if isinstance(papers, str) else papers
    for paper in wanted:
        if paper not in by_paper:
            raise UserError(
                f"config: papers names '{paper}', which has no study; choose among "
                f"{', '.join(by_paper)}, or {ALL}"
            )
    return [study for paper in wanted for study in by_paper[paper]]


def paper_of(experiment: str, systems: Iterable[System]) -> str:
    """Return the paper whose study tells an experiment; what no system tells is the default's."""
    return next((system.paper for system in systems if experiment in system.experiments), DEFAULT)
