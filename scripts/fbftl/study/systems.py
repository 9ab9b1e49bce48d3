"""The systems whose studies the project holds: each `studies/{system}.yaml` that names its `paper`.

Every call knows the tasks and experiments of all of them. Which are made says the block `study` of
the configuration or, where `papers` names some, the block of each of their systems.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.model.block import ConfigBlock, Name, TaskName
from fbftl.study.model.configuration import StudyNames
from fbftl.study.model.validation import filled
from fbftl.study.yaml_files import laid_over, read_yaml

DEFAULT = "fbftl"
"""The paper of the default study: of `config.yaml` and of what is laid over it."""

ALL = "all"
"""What `papers` says for every paper that has a study."""


class StudyFile(ConfigBlock):
    """What the file of a study says: its paper, what it makes, and tasks and experiments."""

    paper: Name
    study: StudyNames
    tasks: dict[TaskName, dict[str, Any]]
    experiments: dict[Name, dict[str, Any]]


@dataclass(frozen=True)
class System:
    """What `studies/{name}.yaml` says.

    study: experiments that it makes, and the tasks that it makes them on.
    data_folder, scratch_folder: those that a full study names, as the configuration does.
    """

    name: str
    paper: str
    study: Mapping[str, list[str]]
    tasks: Mapping[str, Any]
    experiments: Mapping[str, Any]
    data_folder: str | None = None
    scratch_folder: str | None = None

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
    """Return the systems.

    Args:
        root: folder of `config.yaml` and `studies/`.

    Raises:
        UserError: where a file cannot be read or says anything else, or a name is told twice.
    """
    systems = [
        read_system(root, path.relative_to(root), StudyFile)
        for path in sorted((root / "studies").glob("*.yaml"))
        if "paper" in (read_yaml(path) or {})
    ]
    require_defined_once([default_of(read_yaml(root / "config.yaml")), *systems])
    return systems


def read_system(root: Path, file: Path, model: type[StudyFile]) -> System:
    """Return what a file below the project's folder says, by a model of it."""
    says = filled(model, read_yaml(root / file), f"{file}:")
    return System(file.with_suffix("").relative_to("studies").as_posix(), **says)


def default_of(config: Mapping[str, Any]) -> DefaultStudy:
    """Return the default study as a configuration says it."""
    blocks: dict[str, Any] = {
        key: config.get(key) or {} for key in ("study", "tasks", "experiments")
    }
    return DefaultStudy(DEFAULT, DEFAULT, **blocks)


def require_defined_once(studies: Iterable[System]) -> None:
    """Refuse a task or an experiment that two studies tell."""
    found: dict[tuple[str, str], str] = {}
    for study in studies:
        names = [("task", name) for name in study.tasks]
        names += [("experiment", name) for name in study.experiments]
        for what, name in names:
            if (what, name) in found:
                raise UserError(
                    f"the {what} '{name}' is defined by {found[what, name]} and by {study.file}; "
                    "rename one of them"
                )
            found[what, name] = study.file


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
        systems: the papers' systems.
        of_size: full studies, which are made instead.

    Raises:
        UserError: where a paper has no study.
    """
    default, papers = default_of(config), config["papers"]
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
