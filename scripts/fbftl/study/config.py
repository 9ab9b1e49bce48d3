"""The configuration: checked against its schema, defaults filled in, references resolved.

Every fault is one sentence that names the key, its value and the remedy.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study import (
    dialogues,
    full_studies,
    images,
    methods,
    source_seeds,
    task_names,
    yaml_files,
)
from fbftl.study.clients import Dealing
from fbftl.study.dealing_faults import dealing_faults
from fbftl.study.model.configuration import Configuration
from fbftl.study.model.validation import filled as fill
from fbftl.study.settings import DEFAULTS, Setting, expand
from fbftl.study.systems import System, chosen, paper_of, with_systems

KINDS = {"images": images, "dialogues": dialogues}
"""Module of each kind of task: `settled`, `faults`, `job` and `reads`."""

LARGEST_PLAN = 10_000
"""Settings of one plan: what Snakemake plans in seconds and in half a gigabyte."""

INVERTED = ("inverted", "rival_inverted", "front_inverted")
"""Experiments whose uploads are inverted by somebody who has public pictures."""


Grids = Sequence[Mapping[str, list[Any]]]
"""Lists of axis values by axis name."""


@dataclass(frozen=True)
class Study:
    """A checked configuration and the settings that it asks for.

    config: the configuration with all defaults.
    settings: settings by task, experiment and setting name; those of repeats of a task under
        further source networks too (`fbftl.study.source_seeds`).
    paper: paper of each experiment that this study makes.
    """

    config: dict[str, Any]
    settings: dict[str, dict[str, dict[str, Setting]]]
    paper: dict[str, str]

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks that this study makes."""
        return [name for name in self.settings if not task_names.is_repeat(name)]

    @property
    def papers(self) -> list[str]:
        """Papers that the experiments of this study are of."""
        return list(dict.fromkeys(self.paper.values()))

    def task(self, name: str) -> dict[str, Any]:
        """Return the configuration block of a task, or of a repeat under another source."""
        return source_seeds.block_of(self.config["tasks"], name)

    def with_repeats(self, tasks: Iterable[str]) -> list[str]:
        """Return tasks, and behind each its repeats under further source networks."""
        return [n for t in tasks for n in (t, *source_seeds.repeats(t, self.task(t)))]

    def settings_of(self, task: str) -> dict[str, Setting]:
        """Return the settings of a task by name, of whichever experiment."""
        experiments = self.settings.get(task, {}).values()
        return {name: setting for of_one in experiments for name, setting in of_one.items()}

    def cuts(self, task: str) -> list[str]:
        """Return the layers at which a task or a setting of it cuts the source network."""
        features = self.task(task)["features"]
        named = {setting.cut for setting in self.settings_of(task).values()} - {None}
        return list(dict.fromkeys([features["cut"], *features["further_cuts"], *sorted(named)]))

    def client_parts(self, task: str) -> list[tuple[str, str]]:
        """Return network and last layer at the clients where a setting names both."""
        pairs = {
            (s.network, s.deviations().get("client_part")) for s in self.settings_of(task).values()
        }
        return sorted((network, part) for network, part in pairs if network and part)

    def setting(self, task: str, name: str) -> Setting:
        """Return a task's setting by its name.

        Raises:
            UserError: if the study makes no such setting.
        """
        if task not in self.settings:
            hint = suggestion(task, self.settings)
            raise UserError(f"the study has no task '{task}'{hint}")
        settings = self.settings_of(task)
        if name not in settings:
            hint = suggestion(name, settings)
            raise UserError(f"the study makes no setting '{name}' on {task}{hint}")
        return settings[name]

    def job(self, task: str, name: str) -> dict[str, Any]:
        """Return all that the science of one job depends on, in builtin types: its only param."""
        return self.job_of(task, self.setting(task, name))

    def job_of(self, task: str, setting: Setting) -> dict[str, Any]:
        """Return the job of any setting on a task, whether or not an experiment asks for it."""
        block = self.task(task)
        return {
            "task": task,
            "kind": block["kind"],
            "setting": setting.deviations(),
            "seeds": block["seeds"],
            **KINDS[block["kind"]].job(setting, block),
        }

    def methods_of(self, task: str, experiment: str) -> list[dict[str, Any]]:
        """Return what tables and figures of a task's experiment are told of the methods there."""
        return methods.rows(setting.method for setting in self.settings[task][experiment].values())

    def axes_of(self, task: str, experiment: str, read: Sequence[str] = ()) -> dict[str, Any]:
        """Return axes with their defaults, in the fixed order.

        Args:
            task: name of the task.
            experiment: the axes in which a setting of it deviates are among them.
            read: so are these, whatever is run.
        """
        settings = self.settings[task][experiment].values()
        wanted = {*read}.union(*(setting.deviations() for setting in settings)) - {"method"}
        return {axis: default for axis, default in DEFAULTS.items() if axis in wanted}

    def reads_of(self, task: str, setting: Setting) -> tuple[str, ...]:
        """Return the names of the files that any setting on a task is trained from.

        `features` stands for the store at the setting's cut.
        """
        reads = KINDS[self.task(task)["kind"]].reads(setting)
        public = ("public", "public_manifest") if self.needs_public(task, setting) else ()
        return (*reads, *public)

    def needs_public(self, task: str, setting: Setting) -> bool:
        """Tell whether a setting of a task reads features of public data, for what they decide."""
        record = methods.record(setting.method)
        has_norm = "norm" in self.task(task)["privacy"]["feature_clip"]
        clipped = setting.mechanism == "gaussian" and not has_norm
        return record.public or (record.reads == "features" and clipped)

    def buys(self, task: str) -> bool:
        """Tell whether a setting of a task buys public samples."""
        return any(
            "purchase" in setting.deviations() for setting in self.settings_of(task).values()
        )

    def asks_public(self, task: str) -> bool:
        """Tell whether anything of a task reads public data: a setting, or an attack."""
        attacked = not self.settings[task].keys().isdisjoint(("privacy", *INVERTED))
        settings = self.settings_of(task).values()
        return attacked or any(self.needs_public(task, setting) for setting in settings)


def resolve(
    config: Mapping[str, Any], systems: Sequence[System] = (), of_size: Sequence[System] = ()
) -> Study:
    """Check a configuration and expand the experiments that it makes into settings.

    Args:
        config: as loaded from YAML; left unchanged.
        systems: whose tasks and experiments are known too.
        of_size: the full studies that are made, if any.

    Raises:
        UserError: at the first fault found.
    """
    try:
        known = full_studies.laid_on_top(with_systems(config, systems), of_size)
        return _resolve(known, systems, of_size)
    except UserError as error:
        raise UserError(_one_line(str(error))) from error


def _resolve(
    config: Mapping[str, Any], systems: Sequence[System], of_size: Sequence[System]
) -> Study:
    filled = fill(Configuration, at_home(yaml_files.with_likes(config)))
    require_free(filled["tasks"])
    for task in filled["tasks"].values():
        task.setdefault("seeds", filled["seeds"])
        if task.get(task_names.KEY) == 1:
            del task[task_names.KEY]
    settings = _settings(filled, chosen(filled, systems, of_size))
    full_studies.require_made(settings, of_size)
    settings |= source_seeds.of_repeats(filled["tasks"], settings)
    planned = {name for experiments in settings.values() for name in experiments}
    known = [*systems, *of_size]
    papers = {name: paper_of(name, known) for name in filled["experiments"] if name in planned}
    return Study(filled, settings, papers)


def _one_line(sentence: str, longest: int = 600) -> str:
    """Return a sentence that quotes a configuration without its line breaks and its length."""
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence)
    if len(printable) <= longest:
        return printable
    return f"{printable[: longest // 2]} ... {printable[-longest // 2 :]}"


def _settings(
    config: dict[str, Any], studies: Sequence[System]
) -> dict[str, dict[str, dict[str, Setting]]]:
    """Return the settings of every study's own experiments on its own tasks."""
    tasks, requested = config["tasks"], list(_requested(config, studies))
    require_plannable([grids for _, _, grids in requested])
    settings: dict[str, dict[str, dict[str, Setting]]]
    settings = {task: {} for each in studies for task in each.study["tasks"]}
    for task, experiment, grids in requested:
        settings[task][experiment] = _expanded(grids, task, tasks[task])
    return settings


def require_plannable(experiments: Sequence[Grids]) -> None:
    """Refuse more settings than one plan holds, before any of them is made.

    Raises:
        UserError: with both numbers.
    """
    total = sum(math.prod(map(len, grid.values())) for grids in experiments for grid in grids)
    if total > LARGEST_PLAN:
        raise UserError(
            f"config: one plan of {total:,} settings is more than {LARGEST_PLAN:,}; split the "
            "study into several, each with some of the values of an axis"
        )


def _requested(
    config: dict[str, Any], studies: Sequence[System]
) -> Iterator[tuple[str, str, Grids]]:
    """Yield task, experiment and its grids there, for every study's own."""
    tasks, experiments = config["tasks"], config["experiments"]
    for name, experiment in experiments.items():
        for task in experiment["tasks"] or []:
            _require(task, tasks, f"config: experiments.{name}.tasks", "task")
        for axis in experiment.get("axes", ()):
            if axis == FOR or not any(axis in grid for grid in experiment["grids"]):
                raise UserError(
                    f"config: experiments.{name}.axes.{axis} replaces nothing, no grid of the "
                    "experiment lists the axis; leave it out, or add it to a grid"
                )
        for number, grid in enumerate(experiment["grids"]):
            for task in grid.get(FOR, []):
                _require(task, tasks, f"config: experiments.{name}.grids.{number}.{FOR}", "task")
    for study in studies:
        for name in study.study["tasks"]:
            _require(name, tasks, f"{study.where}.tasks", "task")
        for name in study.study["experiments"]:
            _require(name, experiments, f"{study.where}.experiments", "experiment")
        for task in study.study["tasks"]:
            for name in study.study["experiments"]:
                if grids := _grids_on(experiments[name], task, tasks[task]["kind"]):
                    yield task, name, grids


def _grids_on(experiment: Mapping[str, Any], task: str, kind: str) -> list[dict[str, list[Any]]]:
    """Return the grids of an experiment that are for a task of a kind, the axes alone."""
    is_named = experiment[FOR] is None or task in experiment[FOR]
    if experiment["kind"] != kind or not is_named:
        return []
    replaced = experiment.get("axes", {})
    return [
        {axis: replaced.get(axis, values) for axis, values in grid.items() if axis != FOR}
        for grid in experiment["grids"]
        if task in grid.get(FOR, [task])
    ]


def _expanded(grids: Grids, task: str, block: Mapping[str, Any]) -> dict[str, Setting]:
    """Return an experiment's settings on a task, by name.

    Raises:
        UserError: naming task and setting, if the task cannot run one.
    """
    kind, clients = KINDS[block["kind"]], block["clients"]
    settings = dict.fromkeys(kind.settled(setting, block) for setting in expand(grids))
    for setting in settings:
        dealing = Dealing.of(clients, setting)
        here = kind.faults(setting, task, block, dealing)
        for fault in chain(dealing_faults(clients, dealing), here):
            raise UserError(
                f"config: task '{task}' cannot run the setting '{setting.name}'; {fault}"
            )
    return dict(sorted((setting.name, setting) for setting in settings))


FOR = "tasks"
"""What an experiment, and each of its grids, says of the tasks that it is for."""


def _require(name: str, defined: Mapping[str, Any], where: str, what: str) -> None:
    if name not in defined:
        hint = suggestion(name, defined)
        raise UserError(f"{where} names the {what} '{name}', which is not defined{hint}")


OURS = ("papers", "logs", "records", "README.md", "index.html", "report.html")
"""What is beside the tasks in the folder of results."""


def at_home(value: Any) -> Any:
    """Return a value with the user's own folder for every ~ that begins a path in it.

    Where a study has a folder of its own, relative paths, and ~ seems to be one, begin with ../.
    """
    if isinstance(value, dict):
        return {key: at_home(each) for key, each in value.items()}
    if isinstance(value, list):
        return [at_home(each) for each in value]
    if isinstance(value, str) and (found := re.fullmatch(r"(?:\.\./)*(~/.*)", value)):
        return os.path.expanduser(found[1])
    return value


def require_free(tasks: Iterable[str]) -> None:
    """Refuse a task whose results would go where other things are, on any file system."""
    for name in tasks:
        if name.casefold() in map(str.casefold, OURS):
            raise UserError(
                f"config: tasks has the name '{name}', which results/ reserves; choose another"
            )
