"""Steps: a function of a script, called with files and values by the names of its arguments.

Notes of the plan hold them as JSON, so that a job needs nothing but its note.
"""

import importlib.util
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from fbftl.ground.files import writing

SCRIPTS = Path(__file__).parents[2]
"""The folder of scripts."""

File = str | Sequence[str]
"""A path, or several."""


Paths = list[str]
Axes = dict[str, Any]
"""Axes of settings, with their defaults."""

Methods = list[dict[str, Any]]
"""The methods that a table or a figure shows, as `shown` reads them."""


def mapped(file: File, change: Callable[[str], str]) -> File:
    """Return a path changed, or each of several."""
    return change(file) if isinstance(file, str) else [change(path) for path in file]


@dataclass(frozen=True)
class Step:
    """A call of a script's `main`, or of another function.

    script: below the folder of scripts.
    inputs, outputs: paths by argument; an argument `files` gets all inputs by name.
    values: further arguments, in builtin types.
    page: title and caption of the page of a table that the script writes; empty without one.
    function: of the script, where it has several.
    modules: of the library that it imports by name.
    """

    script: str
    inputs: Mapping[str, File] = field(default_factory=dict)
    outputs: Mapping[str, File] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    page: Mapping[str, str] = field(default_factory=dict)
    function: str = "main"
    modules: Sequence[str] = ()

    @property
    def read(self) -> list[str]:
        """Paths of all that it reads."""
        return _paths(self.inputs)

    @property
    def written(self) -> list[str]:
        """Paths of all that it writes."""
        return _paths(self.outputs)


def run(step: Step, of_study: Mapping[str, Any]) -> None:
    """Run a step; a table that it returns is written where its output `csv` says.

    Args:
        step: what to run.
        of_study: values that any script may take: axes, device, data_folder, threads.

    Raises:
        TypeError: if the step has nothing of an argument's name, or has two.
    """
    for path in map(Path, step.written):
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
    called = getattr(load(step.script), step.function)
    table = called(**arguments(called, step, of_study))
    if table is not None:
        # Importing pandas takes longer than many a stage.
        from fbftl.findings.tables import PageText

        table.write(step.outputs["csv"], PageText(**step.page))


@cache
def load(script: str) -> ModuleType:
    """Return a script as a module."""
    name = script.removesuffix(".py").replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(
    called: Callable[..., Any], step: Step, of_study: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a step hands to each argument of a function; one with a default may be absent."""
    given = [step.inputs, step.outputs, step.values]
    further = {**of_study, "files": dict(step.inputs)}
    bound = {}
    for name, argument in inspect.signature(called).parameters.items():
        found = [values[name] for values in given if name in values]
        if len(found) > 1:
            raise TypeError(f"{step.script}: two things are called {name}")
        if found or name in further:
            bound[name] = found[0] if found else further[name]
        elif argument.default is argument.empty:
            raise TypeError(f"{step.script}: nothing is called {name}")
    return bound


def _paths(files: Mapping[str, File]) -> list[str]:
    each = ([file] if isinstance(file, str) else file for file in files.values())
    return [path for several in each for path in several]
