"""The configuration: checked against its schema, defaults filled in, references resolved.

Every fault is one sentence that names the key, its value and the remedy.
"""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.dealing import require_clients, require_dealt
from fbftl.study.grid import expand
from fbftl.study.kinds import dialogues, images
from fbftl.study.record_faults import require_records
from fbftl.study.schema import require_plain, require_valid, suggestion
from fbftl.study.settings import DEFAULTS, Setting
from fbftl.study.shards import WHOLE, Grids, Shard, require_plannable, shard_named
from fbftl.study.systems import StudyBlock, System, chosen, paper_of, with_systems

KINDS = {"images": images, "dialogues": dialogues}
"""Module of each kind of task: `settled`, `job` and `check`."""


@dataclass(frozen=True)
class Study:
    """A checked configuration and the settings that it asks for.

    config: the configuration with all defaults.
    settings: settings by task, experiment and setting name.
    paper: paper of each experiment that this study makes.
    shard: the part of it that this call makes.
    """

    config: dict[str, Any]
    settings: dict[str, dict[str, dict[str, Setting]]]
    paper: dict[str, str]
    shard: Shard

    @property
    def tasks(self) -> list[str]:
        """Names of the tasks that this study makes."""
        return list(self.settings)

    @property
    def papers(self) -> list[str]:
        """Papers that the experiments of this study are of."""
        return list(dict.fromkeys(self.paper.values()))

    def of_paper(self, paper: str) -> dict[str, list[str]]:
        """Return by task the experiments on it that are of a paper."""
        return {
            task: of_it
            for task, experiments in self.settings.items()
            if (of_it := [name for name in experiments if self.paper[name] == paper])
        }

    def task(self, name: str) -> dict[str, Any]:
        """Return the configuration block of a task."""
        return self.config["tasks"][name]

    def tasks_of(self, kind: str) -> list[str]:
        """Names of the tasks of one kind that this study makes."""
        return [name for name in self.tasks if self.task(name)["kind"] == kind]

    def experiments(self, task: str) -> list[str]:
        """Names of the experiments that run on a task."""
        return list(self.settings[task])

    def cuts(self, task: str) -> list[str]:
        """Return the layers at which a task or a setting of it cuts the source network."""
        features = self.task(task)["features"]
        named = {one.cut for one in self._of(task, self.experiments(task)) if one.cut is not None}
        return list(dict.fromkeys([features["cut"], *features["further_cuts"], *sorted(named)]))

    def client_parts(self, task: str) -> list[tuple[str, str]]:
        """Return network and last layer at the clients where a setting names both."""
        settings = self._of(task, self.experiments(task))
        return sorted({(s.network, s.client_part) for s in settings if s.client_part is not None})

    def setting(self, task: str, name: str) -> Setting:
        """Return a task's setting by its name.

        Raises:
            UserError: if the study makes no such setting.
        """
        for settings in self.settings.get(task, {}).values():
            if name in settings:
                return settings[name]
        known = {own for settings in self.settings.get(task, {}).values() for own in settings}
        raise UserError(
            f"the study makes no setting '{name}' on {task}{suggestion(name, known)}"
            if known
            else f"the study has no task '{task}'{suggestion(task, self.settings)}"
        )

    def require_runs(self, targets: Iterable[str]) -> None:
        """Refuse run files and ledgers, asked for by their paths, of settings that it lacks.

        Raises:
            UserError: naming the setting and one that may be meant.
        """
        for target in targets:
            if run := re.fullmatch(r"results/([^/]+)/runs/(.+)\.(?:json|parquet)", target):
                self.setting(*run.groups())

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

    def clean_methods(self, task: str) -> list[str]:
        """Return the methods that a task runs without loss, noise or compression."""
        settings = {s for own in self.settings[task].values() for s in own.values()}
        return [r.name for r in methods.RECORDS if Setting(method=r.name) in settings]

    def methods_of(self, task: str, *experiments: str) -> list[dict[str, Any]]:
        """Return what tables and figures of a task's experiments are told of the methods there."""
        return methods.rows(setting.method for setting in self._of(task, experiments))

    def axes_of(self, task: str, *experiments: str, read: Sequence[str] = ()) -> dict[str, Any]:
        """Return axes with their defaults, in the fixed order.

        Args:
            task: name of the task.
            experiments: those in which a setting of these deviates are among the axes.
            read: so are these, whatever is run.
        """
        found = {axis for one in self._of(task, experiments) for axis in one.deviations()}
        wanted = (found | set(read)) - {"method"}
        return {axis: default for axis, default in DEFAULTS.items() if axis in wanted}

    def _of(self, task: str, experiments: Iterable[str]) -> Iterator[Setting]:
        for experiment in experiments:
            yield from self.settings[task][experiment].values()

    def reads(self, task: str, name: str) -> tuple[str, ...]:
        """Return the names of the files that a task's setting is trained from.

        `features` stands for the store at the setting's cut.
        """
        reads = KINDS[self.task(task)["kind"]].reads(self.setting(task, name))
        public = ("public", "public_manifest") if self.needs_public(task, name) else ()
        return (*reads, *public)

    def needs_public(self, task: str, name: str) -> bool:
        """Tell whether a task's setting reads features of public data, for what they decide."""
        setting = self.setting(task, name)
        record = methods.record(setting.method)
        given = "norm" in self.task(task)["privacy"]["feature_clip"]
        clipped = setting.mechanism == "gaussian" and not given
        return record.public or (record.reads == "features" and clipped)

    def together(self, task: str) -> dict[str, list[str]]:
        """Return the settings of a task that touch the same rows, by the name of their group.

        Groups of which this study makes nothing are left out.
        """
        made = {name for settings in self.settings[task].values() for name in settings}
        groups = self.task(task)["privacy"].get("together", {})
        return {name: own for name, own in groups.items() if made & set(own)}

    @property
    def protections(self) -> list[str]:
        """Return the protections of what is sent that some setting asks for."""
        every = (self._of(task, self.experiments(task)) for task in self.tasks)
        return sorted({setting.protection for own in every for setting in own})

    def buys(self, task: str) -> bool:
        """Tell whether a setting of a task buys public samples."""
        return any(setting.purchase > 0 for setting in self._of(task, self.experiments(task)))

    def asks_public(self, task: str) -> bool:
        """Tell whether anything of a task reads public data: a setting, or an attack."""
        names = [name for settings in self.settings[task].values() for name in settings]
        attacked = "privacy" in self.settings[task]
        return attacked or any(self.needs_public(task, name) for name in names)


def resolve(
    config: Mapping[str, Any], schema: Mapping[str, Any], systems: Sequence[System] = ()
) -> Study:
    """Check a configuration and expand the experiments that it makes into settings.

    Args:
        config: as loaded from YAML; left unchanged.
        schema: JSON schema, draft 2020-12.
        systems: whose tasks and experiments are known too.

    Raises:
        UserError: at the first fault found.
    """
    try:
        return _resolve(with_systems(config, systems), schema, systems)
    except UserError as error:
        raise UserError(_one_line(str(error))) from error


def _resolve(
    config: Mapping[str, Any], schema: Mapping[str, Any], systems: Sequence[System]
) -> Study:
    require_records()
    require_plain(config)
    config = copy.deepcopy(dict(config))
    require_valid(config, with_methods(schema))
    _require_free(config["tasks"])
    for task in config["tasks"].values():
        for value in ("seeds", "settings_per_process"):
            task.setdefault(value, config[value])
    blocks = chosen(config, systems)
    for block in blocks:
        require_valid(block.study, schema["properties"]["study"], f"{block.where}:")
    shard = shard_named(config["shard"])
    settings = _settings(config, blocks, shard)
    made = {name for experiments in settings.values() for name in experiments}
    papers = {name: paper_of(name, systems) for name in config["experiments"] if name in made}
    return Study(config, settings, papers, shard)


def with_methods(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with the names of methods and mechanisms, which it leaves open."""
    names = {"method": methods.names(), "mechanism": methods.mechanisms()}
    filled = {name: schema["$defs"][name] | {"enum": known} for name, known in names.items()}
    return {**schema, "$defs": schema["$defs"] | filled}


OURS = ("papers", "logs", "records", "README.md", "index.html", "report.html")
"""What stands beside the tasks in the folder of results."""


def _require_free(tasks: Iterable[str]) -> None:
    """Refuse a task whose results would go where other things are, on any file system."""
    for name in tasks:
        if name.casefold() in map(str.casefold, OURS):
            raise UserError(
                f"config: tasks has the name '{name}', which results/ uses itself; choose another"
            )


def _one_line(sentence: str, longest: int = 600) -> str:
    """Return a sentence that quotes a configuration without its line breaks and its length."""
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence)
    if len(printable) <= longest:
        return printable
    return f"{printable[: longest // 2]} ... {printable[-longest // 2 :]}"


def _settings(
    config: dict[str, Any], blocks: Sequence[StudyBlock], shard: Shard
) -> dict[str, dict[str, dict[str, Setting]]]:
    """Return the settings of every block's own experiments on its own tasks."""
    tasks, asked = config["tasks"], list(_asked(config, blocks))
    require_plannable([grids for *_, grids in asked], shard)
    settings: dict[str, dict[str, dict[str, Setting]]]
    settings = {task: {} for block in blocks for task in block.study["tasks"]}
    for task, experiment, grids in asked:
        settings[task][experiment] = _expanded(grids, task, tasks[task], shard)
    for task, of_task in settings.items() if shard == WHOLE else ():
        _require_together(task, tasks[task], config["experiments"], of_task)
    return settings


def _asked(
    config: dict[str, Any], blocks: Iterable[StudyBlock]
) -> Iterator[tuple[str, str, Grids]]:
    """Yield task, experiment and its grids there, for every block's own."""
    tasks, experiments = config["tasks"], config["experiments"]
    for name, experiment in experiments.items():
        for task in experiment["tasks"] or []:
            _require(task, tasks, f"config: experiments.{name}.tasks", "task")
        for number, grid in enumerate(experiment["grids"]):
            for task in grid.get(FOR, []):
                _require(task, tasks, f"config: experiments.{name}.grids.{number}.{FOR}", "task")
    for block in blocks:
        for name in block.study["tasks"]:
            _require(name, tasks, f"{block.where}.tasks", "task")
        for name in block.study["experiments"]:
            _require(name, experiments, f"{block.where}.experiments", "experiment")
        for task in block.study["tasks"]:
            require_clients(task, tasks[task]["clients"])
            _require_features(task, tasks[task]["features"])
            for name in block.study["experiments"]:
                if _is_for(experiments[name], task, tasks[task]["kind"]):
                    yield task, name, grids_on(experiments[name], task)


STORES = ("s3", "gs", "az")
"""Object stores that are written to: schemes of URLs."""


def _require_features(task: str, features: Mapping[str, Any]) -> None:
    """Refuse the own cut among the further ones, which would be twice, and stores that cannot be.

    A store is written and read by several machines: http is read only, memory is nobody else's.
    """
    where, store = f"config: tasks.{task}.features", features.get("store")
    if features["cut"] in features["further_cuts"]:
        raise UserError(
            f"{where}.further_cuts names the task's own cut '{features['cut']}', which is "
            "extracted anyway; leave it out"
        )
    scheme, _, place = (store or "").partition("://")
    if "@" in place.partition("/")[0]:
        raise UserError(
            f"{where}.store holds credentials before its bucket, which would reach manifests and "
            "statements; leave them out and give them in the environment"
        )
    if store is not None and (scheme not in STORES or not place.strip("/")):
        raise UserError(
            f"{where}.store is '{store}'; give {'://, '.join(STORES)}:// with bucket and name, as "
            "in s3://bucket/name.zarr, or null"
        )


def grids_on(experiment: Mapping[str, Any], task: str) -> list[dict[str, list[Any]]]:
    """Return the grids of an experiment that are for a task, the axes alone."""
    return [
        {axis: values for axis, values in grid.items() if axis != FOR}
        for grid in experiment["grids"]
        if task in grid.get(FOR, [task])
    ]


def _expanded(
    grids: Grids, task: str, block: Mapping[str, Any], shard: Shard
) -> dict[str, Setting]:
    """Return an experiment's settings on a task, by name."""
    settled = KINDS[block["kind"]].settled
    found = {settled(setting, task, block) for setting in expand(grids, shard)}
    for setting in found:
        require_dealt(task, block["clients"], setting)
    return dict(sorted((setting.name, setting) for setting in found))


FOR = "tasks"
"""What an experiment, and each of its grids, says of the tasks that it is for."""


def _require_together(
    task: str,
    block: Mapping[str, Any],
    experiments: Mapping[str, Any],
    settings: Mapping[str, Mapping[str, Setting]],
) -> None:
    """Refuse a group of releases with a name that is no setting of the task.

    A group of which the study makes nothing is of experiments that it leaves out.
    """
    made = {name: None for own in settings.values() for name in own}
    for group, names in block["privacy"].get("together", {}).items():
        known = made if made.keys() & set(names) else _left_out(task, block, experiments)
        for name in names:
            _require(name, known, f"config: tasks.{task}.privacy.together.{group}", "setting")


def _left_out(
    task: str, block: Mapping[str, Any], experiments: Mapping[str, Any]
) -> dict[str, None]:
    """Return the names of the settings that any experiment has on a task, made or not."""
    return {
        setting.name: None
        for experiment in experiments.values()
        if _is_for(experiment, task, block["kind"])
        for setting in expand(grids_on(experiment, task))
    }


def _is_for(experiment: Mapping[str, Any], task: str, kind: str) -> bool:
    grids = any(task in grid.get(FOR, [task]) for grid in experiment["grids"])
    named = experiment[FOR] is None or task in experiment[FOR]
    return experiment["kind"] == kind and named and grids


def _require(name: str, known: Mapping[str, Any], where: str, what: str) -> None:
    if name not in known:
        hint = suggestion(name, known)
        raise UserError(f"{where} names the {what} '{name}', which is not defined{hint}")
