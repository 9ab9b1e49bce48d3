"""Which call of the workflow makes a setting of a task: the project's study that has it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study import source_seeds
from fbftl.study.config import Study
from fbftl.study.full_studies import FOLDERS, PAPER, files_of, read_full
from fbftl.study.resolved import study_of
from fbftl.study.systems import DEFAULT, read_systems
from fbftl.study.yaml_files import read_yaml


@dataclass(frozen=True)
class Call:
    """What a call of the workflow is told beside the project's own configuration.

    file: of `--configfile`, below the project's folder, if any.
    config: keys of `--config`.
    """

    file: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)

    def study(self, root: Path) -> Study:
        """Return the study that it makes.

        Raises:
            UserError: if it is none.
        """
        files = [] if self.file is None else [str(root / self.file)]
        return study_of(root, files, self.config)

    def words(self, root: Path, study: Study, **config: str) -> list[str]:
        """Return the arguments of Snakemake with which it is made in another folder.

        Args:
            root: the project's folder, which the study's folders are relative to.
            study: that it makes.
            config: further keys of `--config`.
        """
        folders = {key: study.config[key] for key in FOLDERS if study.config[key] is not None}
        absolute = {key: str((root / folder).resolve()) for key, folder in folders.items()}
        keys = {**self.config, **config, **absolute}
        files = [] if self.file is None else ["--configfile", str((root / self.file).resolve())]
        return [*files, "--config", *(f"{key}={value}" for key, value in keys.items())]


def call_for(root: Path, name: str, setting: str) -> tuple[Call, Study]:
    """Return the first call that makes a setting, and its study.

    Studies come in this order: the papers' own, full ones, then those of
    `studies/` that are laid over the default one and need no GPU.

    Args:
        root: the project's folder.
        name: of a task, or of its repeat under another source network.
        setting: its name.

    Raises:
        UserError: if no study of the project makes it.
    """
    for call in _calls(root, source_seeds.task_of(name)):
        study = call.study(root)
        made = study.settings.get(name, {})
        if study.config["device"] != "cuda" and any(setting in names for names in made.values()):
            return call, study
    raise UserError(f"no study of the project makes the setting '{setting}' on {name} any more")


def _calls(root: Path, task: str) -> Iterator[Call]:
    """Yield the calls whose studies make a task, by what their files say."""
    systems = read_systems(root)
    if task in read_yaml(root / "config.yaml")["study"]["tasks"]:
        yield Call(config={"papers": DEFAULT})
    for system in systems:
        if task in system.study["tasks"]:
            yield Call(config={"papers": system.paper})
    for name in PAPER:
        known = [each for system in systems for each in system.tasks]
        full = read_full(root, name, known) if files_of(root, name) else []
        if any(task in study.study["tasks"] for study in full):
            yield Call(config={"size": "full", "system": name})
    for path in sorted((root / "studies").glob("*.yaml")):
        if task in (read_yaml(path).get("study") or {}).get("tasks", ()):
            yield Call(path.relative_to(root).as_posix())
