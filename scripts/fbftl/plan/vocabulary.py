"""The words of the lists in `results/`: inputs and params of tables and figures, by name.

Inputs are paths with `{task}`, or functions of (study, task); params are values or such functions.
"""

from functools import partial
from typing import Any

from fbftl.findings.setup import setup_of
from fbftl.plan import paths, runs
from fbftl.plan.entries import File
from fbftl.plan.paths import TASK
from fbftl.study.config import Study

Inputs = dict[str, File]
Params = dict[str, Any]

CLIENTS: Inputs = {"clients": paths.clients(TASK)}
"""Input for what a table says of the clients' samples, or of the test set's."""

NETWORK: Inputs = {"network": f"{paths.of_cut(TASK, None, 'network')}.json"}
"""Input for what the layers of the task's network weigh."""


def tidy(experiment: str) -> Inputs:
    """Return the input `runs`, an experiment's tidy table."""
    return {"runs": paths.tidy(TASK, experiment)}


def series(experiment: str) -> Inputs:
    """Return the input `series`, an experiment's learning curves."""
    return {"series": paths.tidy(TASK, experiment, "series.csv")}


def guarantees(experiment: str) -> Inputs:
    """Return the input `guarantees`, what an experiment's runs guarantee."""
    return {"guarantees": paths.guarantees(TASK, experiment)}


def run_files(experiment: str) -> Inputs:
    """Return the input `runs`, here an experiment's run files."""
    return {"runs": partial(runs.files_of_experiment, experiment=experiment)}


def ledgers(experiment: str) -> Inputs:
    """Return the input `ledgers` of an experiment, in the runs' order."""
    of_runs = partial(runs.files_of_experiment, experiment=experiment, suffix="parquet")
    return {"ledgers": of_runs}


def runs_and_ledgers(experiment: str) -> Inputs:
    """Return the inputs `runs`, an experiment's run files, and `ledgers`."""
    return run_files(experiment) | ledgers(experiment)


def networks(experiment: str) -> Inputs:
    """Return the input `networks`, descriptions in the order of the runs that train them."""
    return {"networks": partial(runs.networks, experiment=experiment)}


def table_of(name: str) -> Inputs:
    """Return the input `table`, a table of the task, whose rows a figure shows."""
    return {"table": paths.table(TASK, name)}


def findings(*attacks: str) -> Inputs:
    """Return the input `findings`, what each of several attacks found."""
    return {"findings": [paths.findings(TASK, attack) for attack in attacks]}


def printed(**files: str) -> Inputs:
    """Return inputs from the published record, by name."""
    return {name: f"published/{path}" for name, path in files.items()}


SETUPS = printed(setups="setups.csv")
"""Inputs to say whether a paper's numbers compare with the task's."""


def shown(experiment: str) -> Params:
    """Return the param `methods`: those that an experiment compares, with labels and marks."""
    return {"methods": partial(Study.methods_of, experiment=experiment)}


def axes(experiment: str, *read: str) -> Params:
    """Return the param `axes`: those in which runs deviate, and those that the script reads."""
    return {"axes": partial(Study.axes_of, experiment=experiment, read=read)}


def value_of(study: Study, task: str, keys: tuple[str, ...]) -> Any:
    """Return what a task's block of the configuration has under a key, and keys below it."""
    value: Any = study.task(task)
    for key in keys:
        value = value[key]
    return value


def of_task(*keys: str) -> Any:
    """Return the param that a task's block of the configuration has under these keys."""
    return partial(value_of, keys=keys)


DOMAINS: Params = {"domains": of_task("clients", "domains")}
"""Params for what domains the samples of a task are of."""


def setup(study: Study, task: str) -> dict[str, str]:
    """Return what decides whether a task's results compare with a paper's."""
    return setup_of(study.task(task))


SETUP: Params = {"setup": setup}
"""Params for the same."""
