"""The configuration: checked against its schema, defaults filled in, references resolved.

Every fault is one sentence that names the key, its value and the remedy.
"""

import copy
import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.dealing import require_clients, require_dealt
from fbftl.study.grid import expand
from fbftl.study.kinds import dialogues, images
from fbftl.study.settings import DEFAULTS, Setting
from fbftl.study.systems import StudyBlock, System, chosen, paper_of, with_systems

KINDS = {"images": images, "dialogues": dialogues}
"""Module of each kind of task: `settled`, `job` and `check`."""


@dataclass(frozen=True)
class Study:
    """A checked configuration and the settings that it asks for.

    config: the configuration with all defaults.
    settings: settings by task, experiment and setting name.
    paper: paper of each experiment that this study makes.
    """

    config: dict[str, Any]
    settings: dict[str, dict[str, dict[str, Setting]]]
    paper: dict[str, str]

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

    def setting(self, task: str, name: str) -> Setting:
        """Return a task's setting by its name."""
        return next(s[name] for s in self.settings[task].values() if name in s)

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
        """Tell whether a task's setting reads features of public data, for its clip norm."""
        given = "norm" in self.task(task)["privacy"]["feature_clip"]
        return self.setting(task, name).mechanism == "gaussian" and not given

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
    _require_plain(config, ())
    config = copy.deepcopy(dict(config))
    for error in _Validator(with_methods(schema)).iter_errors(config):
        raise UserError(_sentence(error))
    _require_free(config["tasks"])
    for task in config["tasks"].values():
        task.setdefault("seeds", config["seeds"])
    blocks = chosen(config, systems)
    for block in blocks:
        for error in _Validator(schema["properties"]["study"]).iter_errors(block.study):
            raise UserError(_sentence(error, f"{block.where}:"))
    settings = _settings(config, blocks)
    made = {name for experiments in settings.values() for name in experiments}
    papers = {name: paper_of(name, systems) for name in config["experiments"] if name in made}
    return Study(config=config, settings=settings, paper=papers)


def with_methods(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with the names of methods and mechanisms, which it leaves open."""
    names = {"method": methods.names(), "mechanism": methods.mechanisms()}
    filled = {name: schema["$defs"][name] | {"enum": known} for name, known in names.items()}
    return {**schema, "$defs": schema["$defs"] | filled}


OURS = ("papers", "logs", "README.md", "report.html")
"""What stands beside the tasks in the folder of results."""


def _require_free(tasks: Iterable[str]) -> None:
    """Refuse a task whose results would go where other things are, on any file system."""
    for name in tasks:
        if name.casefold() in map(str.casefold, OURS):
            raise UserError(
                f"config: tasks has the name '{name}', which results/ uses itself; choose another"
            )


LARGEST = 2**63 - 1
"""No whole number is larger: arrays and random streams count in 64 bits."""


def _require_plain(value: Any, path: tuple[str, ...]) -> None:
    """Refuse what YAML can say and a configuration cannot mean: dates, NaN, endless numbers."""
    where = f"config: {'.'.join(path) or 'the top level'}"
    match value:
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise UserError(f"{where} has the key {key!r}, which is no text; quote it")
                _require_plain(inner, (*path, key))
        case list():
            for place, inner in enumerate(value):
                _require_plain(inner, (*path, str(place)))
        case float() if not math.isfinite(value):
            raise UserError(f"{where} is {value}; give a number")
        case int() if abs(value) > LARGEST:
            said = value if abs(value) < LARGEST**2 else "a number of very many digits"
            raise UserError(f"{where} is {said}; give at most {LARGEST}")
        case None | bool() | int() | float() | str():
            pass
        case _:
            raise UserError(f"{where} is a {type(value).__name__}; quote it or give a number")


def _one_line(sentence: str, longest: int = 600) -> str:
    """Return a sentence that quotes a configuration without its line breaks and its length."""
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence)
    if len(printable) <= longest:
        return printable
    return f"{printable[: longest // 2]} ... {printable[-longest // 2 :]}"


def _is_integer(_: Any, value: Any) -> bool:
    """Tell whether a value is an integer and written as one; 8.0 would fail in a job."""
    return isinstance(value, int) and not isinstance(value, bool)


def _settings(
    config: dict[str, Any], blocks: Iterable[StudyBlock]
) -> dict[str, dict[str, dict[str, Setting]]]:
    """Return the settings of every block's own experiments on its own tasks."""
    tasks, experiments = config["tasks"], config["experiments"]
    for name, experiment in experiments.items():
        for task in experiment["tasks"] or []:
            _require(task, tasks, f"config: experiments.{name}.tasks", "task")
    settings: dict[str, dict[str, dict[str, Setting]]] = {}
    for block in blocks:
        for name in block.study["tasks"]:
            _require(name, tasks, f"{block.where}.tasks", "task")
        for name in block.study["experiments"]:
            _require(name, experiments, f"{block.where}.experiments", "experiment")
        for task in block.study["tasks"]:
            require_clients(task, tasks[task]["clients"])
            _require_features(task, tasks[task]["features"])
            of_task = settings.setdefault(task, {})
            for name in block.study["experiments"]:
                if _is_for(experiments[name], task, tasks[task]["kind"]):
                    of_task[name] = _expanded(experiments[name], task, tasks[task])
    return settings


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
    if store is not None and (scheme not in STORES or not place.strip("/")):
        raise UserError(
            f"{where}.store is '{store}'; give {'://, '.join(STORES)}:// with bucket and name, as "
            "in s3://bucket/name.zarr, or null"
        )


def _expanded(
    experiment: Mapping[str, Any], task: str, block: Mapping[str, Any]
) -> dict[str, Setting]:
    """Return an experiment's settings on a task, by name."""
    settled = KINDS[block["kind"]].settled
    found = {settled(setting, task, block) for setting in expand(experiment["grids"])}
    for setting in found:
        require_dealt(task, block["clients"], setting)
    return {setting.name: setting for setting in sorted(found, key=lambda one: one.name)}


def _is_for(experiment: Mapping[str, Any], task: str, kind: str) -> bool:
    return experiment["kind"] == kind and (
        experiment["tasks"] is None or task in experiment["tasks"]
    )


def _require(name: str, known: Mapping[str, Any], where: str, what: str) -> None:
    if name not in known:
        hint = _suggestion(name, known)
        raise UserError(f"{where} names the {what} '{name}', which is not defined{hint}")


def _suggestion(name: str, known: Any) -> str:
    close = difflib.get_close_matches(str(name), [str(k) for k in known], n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; choose among {', '.join(sorted(str(k) for k in known))}"


def _fill_defaults(
    validator: Any, properties: Mapping[str, Any], instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Check `properties` as the specification says, after filling in missing keys."""
    if validator.is_type(instance, "object"):
        for key, subschema in properties.items():
            if "default" in subschema:
                instance.setdefault(key, copy.deepcopy(subschema["default"]))
    yield from Draft202012Validator.VALIDATORS["properties"](
        validator, properties, instance, schema
    )


def _match(
    validator: Any, pattern: str, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Check `pattern` as the specification says: for Python `$` also stands before a line's end."""
    if validator.is_type(instance, "string") and (
        "\n" in instance or not re.search(pattern, instance)
    ):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = extend(
    Draft202012Validator,
    {"properties": _fill_defaults, "pattern": _match},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


def _sentence(error: ValidationError, root: str = "config:") -> str:
    """Return an error as one sentence; `root` says where the value that was checked stands."""
    path = ".".join(str(part) for part in error.absolute_path)
    where = f"{root} {path or 'the top level'}"
    wanted = error.validator_value
    match error.validator:
        case "additionalProperties":
            known = error.schema.get("properties", {})
            key = next(k for k in error.instance if k not in known)
            full = f"{path}.{key}" if path else key
            return f"{root} key '{full}' does not exist{_suggestion(key, known)}"
        case "required":
            missing = next(k for k in wanted if k not in error.instance)
            return f"{where} lacks the key '{missing}'; add it"
        case "enum":
            listed = ", ".join(str(v) for v in wanted)
            return f"{where} is {error.instance!r}; choose among {listed}"
        case "type":
            kinds = wanted if isinstance(wanted, str) else " or ".join(wanted)
            return f"{where} is {error.instance!r}, not a {kinds}{_float_hint(error.instance)}"
        case "minimum":
            return f"{where} is {error.instance!r}; give at least {wanted}"
        case "maximum":
            return f"{where} is {error.instance!r}; give at most {wanted}"
        case "exclusiveMinimum":
            return f"{where} is {error.instance!r}; give more than {wanted}"
        case "exclusiveMaximum":
            return f"{where} is {error.instance!r}; give less than {wanted}"
        case "uniqueItems":
            return f"{where} lists a value twice; remove one"
        case "minItems" | "minProperties":
            return f"{where} is empty; give at least one entry"
        case "maxLength":
            return f"{where} has the name {error.instance!r}; shorten it to {wanted} characters"
        case "pattern":
            return (
                f"{where} has the name {error.instance!r}; use letters, digits, '.', '_' and '-', "
                "a letter or digit first"
            )
        case _:
            return f"{where}: {error.message}"


def _float_hint(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    try:
        float(value)
    except ValueError:
        return ""
    return (
        "; YAML reads a power of ten only with a decimal point and a sign, as in 1.0e-5 or 1.0e+5"
    )
