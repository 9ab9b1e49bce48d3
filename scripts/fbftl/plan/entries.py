"""Tables and figures as data: what an entry of the lists in `results/` says, and in which words.

Inputs are paths with `{task}` and `{experiment}`, or functions of (study, task, experiment); params
are values or such functions. The experiment is the one whose list an entry is in.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from operator import getitem
from typing import Any

from fbftl.findings.steps import SCRIPTS
from fbftl.ground.errors import UserError
from fbftl.plan import paths
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.study.config import Study

CHAPTERS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the papers?",
    "sweep": "6 What do experiments of your own show?",
    "sources": "7 What does another source network change?",
}
"""The chapters of each paper in the report."""

FORMATS = {
    "tables": ["csv", "md", "tex", "html"],
    "figures": ["svg", "pdf", "png", "csv"],
    "numbers": ["json"],
    "experiments": ["csv", "series.csv"],
}
"""What each kind of result is written as."""

REPORTED = {"tables": "html", "figures": "svg"}
"""Format of each kind that reports and pages show."""


def in_formats(folder: str, path: str) -> dict[str, str]:
    """Return the files of a result below a folder, which ends in `/`, by format."""
    kind = path.split("/", 1)[0]
    return {suffix: f"{folder}{path}.{suffix}" for suffix in FORMATS.get(kind, FORMATS["tables"])}


File = str | list[str] | Callable[..., Any]
"""A path with `{task}` and `{experiment}`, several, or a function that returns some, or None.

Functions are given study, task and experiment; those of a paper's entries are given the call
instead (`fbftl.plan.call`).
"""


@dataclass(frozen=True)
class WrittenOut:
    """A table or figure that a rule of its own makes, often with something else.

    path: of its files below the results of its task or paper, without suffix.
    chapter, title: where the report shows it, and under which words.
    """

    path: str
    chapter: str
    title: str

    @property
    def kind(self) -> str:
        """`figures` or `tables`."""
        return "figures" if self.path.startswith("figures/") else "tables"


@dataclass(frozen=True)
class Result:
    """A table or figure and the rule that makes it.

    by: script and its function, `plot_fbftl.noise`: a script's name begins with `tabulate_` or
        `plot_`.
    chapter, title: where the report shows it, and under which words.
    inputs, params: what its function gets besides what it asks for by the names of its arguments
        (`FILES`, `VALUES`); a param is a value or a function, as a `File`.
    stem: of its files, where they are not called after the function.
    also: what its script writes besides, by argument, below the results of its task.
    """

    by: str
    chapter: str
    title: str
    inputs: Mapping[str, File] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    stem: str | None = None
    also: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The folder of its files and of its script."""
        return "tables" if self.by.startswith("tabulate_") else "figures"

    @property
    def path(self) -> str:
        """Its files below the results of a task or paper, without suffix."""
        return f"{self.kind}/{self.stem or self.function}"

    @property
    def source(self) -> str:
        """Its script below the folder of scripts."""
        return f"{self.kind}/{self.by.partition('.')[0]}.py"

    @property
    def function(self) -> str:
        """What of its script makes it."""
        return self.by.partition(".")[2]


Entry = Result | WrittenOut


@dataclass(frozen=True)
class Made:
    """A table or figure of one task or paper.

    of: the task, `papers/` and the paper, or `papers`, of all.
    entry: what is listed of it.
    experiment: that it is of; empty where it is of a paper.
    """

    of: str
    entry: Entry
    experiment: str = ""

    @property
    def owner(self) -> str:
        """The task, the paper, or `papers`."""
        return self.of.rpartition("/")[2]

    @property
    def path(self) -> str:
        """Its files below the results of its task or paper, without suffix."""
        return self.entry.path.format(experiment=self.experiment)

    @property
    def files(self) -> dict[str, str]:
        """Its files by format."""
        return in_formats(f"results/{self.of}/", self.path)

    @property
    def shown(self) -> str:
        """The one of them that reports and pages show."""
        return self.files[REPORTED[self.entry.kind]]


PARTS = WrittenOut("tables/claim_parts", "audit", "Parts of claims")

CLAIMS_OF_PAPER: list[Entry] = [WrittenOut("tables/claims", "audit", "Claims"), PARTS]
"""What is made of the claims of every paper."""


Inputs = dict[str, File]
Params = dict[str, Any]


def findings(*attacks: str) -> Inputs:
    """Return the input `findings`, what each of several attacks found."""
    return {"findings": [paths.findings(TASK, attack) for attack in attacks]}


def printed(**files: str) -> Inputs:
    """Return inputs from the published record, by name."""
    return {name: f"published/{path}" for name, path in files.items()}


def axes(*read: str) -> Params:
    """Return the param `axes`: those in which runs deviate, and those that the script reads."""
    return {"axes": partial(Study.axes_of, read=read)}


def of_task(*keys: str) -> Any:
    """Return the param that a task's block of the configuration has under a key, and those below.

    It is a function of study and task, and of the experiment if there is one.
    """
    return lambda study, task, *_: reduce(getitem, keys, study.task(task))


def setup(study: Study, task: str, *_: str) -> dict[str, str]:
    """Return what decides whether a task's results compare with a paper's."""
    return setup_of(study.task(task))


FILES: Inputs = {
    "clients": paths.clients(TASK),
    "network": f"{paths.of_cut(TASK, None, 'network')}.json",
    "networks": paths.networks,
    "runs": paths.tidy(TASK, EXPERIMENT),
    "series": paths.tidy(TASK, EXPERIMENT, "series.csv"),
    "guarantees": paths.guarantees(TASK, EXPERIMENT),
    "ledgers": partial(paths.files_of_experiment, suffix="parquet"),
    "table": paths.table(TASK, EXPERIMENT),
    "setups": "published/setups.csv",
}
"""What a function gets for an argument of a name; for `runs: Paths`, run files as for `ledgers`."""

VALUES: Params = {
    "methods": Study.methods_of,
    "axes": Study.axes_of,
    "setup": setup,
    "domains": of_task("clients", "domains"),
}
"""What a function gets for an argument of a name that is no file's; axes are the experiment's."""


def every_input(entry: Result) -> Inputs:
    """Return the inputs of an entry, with those that its function asks for by their names."""
    types = arguments_of(entry)
    files = {name: FILES[name] for name in types if name in FILES and name not in entry.params}
    if types.get("runs") == "Paths":
        files["runs"] = paths.files_of_experiment
    return {**files, **entry.inputs}


def every_param(entry: Result) -> Params:
    """Return the params of an entry, with those that its function asks for by their names."""
    named = [name for name in arguments_of(entry) if name in VALUES and name not in entry.inputs]
    return {**{name: VALUES[name] for name in named}, **entry.params}


def arguments_of(entry: Result) -> dict[str, str]:
    """Return the arguments of an entry's function with their types, without importing its script.

    Raises:
        UserError: if the script has no such function.
    """
    for node in _script(entry.source).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry.function:
            types = ((each.arg, each.annotation) for each in node.args.args)
            return {name: ast.unparse(of) if of else "" for name, of in types}
    raise UserError(f"scripts/{entry.source} has no function {entry.function}; write it there")


@cache
def _script(source: str) -> ast.Module:
    return ast.parse((SCRIPTS / source).read_text(encoding="utf-8"))


RESTRICTIONS = ("portion", "classes", "limit")
"""Keys of a data block that leave samples out."""

AS_DISTRIBUTED = ("digits", "idx", "torchvision", "dialogues", "jsonl", "groups", "table")
"""Kinds of data whose files hold what the data set's authors gave out."""


def setup_of(block: Mapping[str, Any]) -> dict[str, str]:
    """Return of a task's block what decides whether its results compare with a paper's.

    Keys: `task` (the data set), `backbone`, `size` (image side in pixels, empty for text), `data`
    (all or a part) and `encoding` (original, or how files hold the images).
    """
    data = block["data"]
    original = data["kind"] in AS_DISTRIBUTED
    left_out = any(data.get(key) for key in RESTRICTIONS) or bool(data.get("source"))
    return {
        "task": (block["dataset"] or data.get("name") or data["kind"]).lower(),
        "backbone": _backbone(block["source"]),
        "size": _size(block),
        "data": "a part" if left_out else "all",
        "encoding": block["encoding"] or ("original" if original else "unknown"),
    }


def _backbone(source: Mapping[str, Any]) -> str:
    """Return the published network whose published weights are loaded, or how one was made."""
    if source["kind"] == "pretrain":
        return "pre-trained here"
    if source["kind"] == "vectors":
        return "none"
    weights = source.get("weights", "published")
    name = source.get("name") or source.get("folder") or source["from"]
    return name if weights == "published" else f"{name} with weights {weights}"


def _size(block: Mapping[str, Any]) -> str:
    """Return the side in pixels of the images that the network sees; text has none."""
    size = (
        block["features"].get("size")
        or block["data"].get("size")
        or next(iter(block["source"].get("image", [])), None)
    )
    return "" if size is None else str(size)
