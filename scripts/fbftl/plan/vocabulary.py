"""The words of the lists in `results/`: inputs and params of tables and figures, by name.

Inputs are paths with `{task}` and `{experiment}`, or functions of (study, task, experiment); params
are values or such functions. The experiment is the one whose list an entry is in.
"""

from functools import partial, reduce
from operator import getitem
from typing import Any

from fbftl.findings.setup import setup_of
from fbftl.plan import paths, runs
from fbftl.plan.entries import File
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.study.config import Study

Inputs = dict[str, File]
Params = dict[str, Any]

CLIENTS: Inputs = {"clients": paths.clients(TASK)}
"""Input for what a table says of the clients' samples, or of the test set's."""

NETWORK: Inputs = {"network": f"{paths.of_cut(TASK, None, 'network')}.json"}
"""Input for what the layers of the task's network weigh."""


TIDY: Inputs = {"runs": paths.tidy(TASK, EXPERIMENT)}
"""The input `runs`, the experiment's tidy table."""

SERIES: Inputs = {"series": paths.tidy(TASK, EXPERIMENT, "series.csv")}
"""The input `series`, the experiment's learning curves."""

GUARANTEES: Inputs = {"guarantees": paths.guarantees(TASK, EXPERIMENT)}
"""The input `guarantees`, what the experiment's runs guarantee."""

RUN_FILES: Inputs = {"runs": runs.files_of_experiment}
"""The input `runs`, here the experiment's run files."""

RUNS_AND_LEDGERS = RUN_FILES | {"ledgers": partial(runs.files_of_experiment, suffix="parquet")}
"""The inputs `runs`, the experiment's run files, and `ledgers`, in the same order."""

NETWORKS: Inputs = {"networks": runs.networks}
"""The input `networks`, descriptions in the order of the runs that train them."""


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


SHOWN: Params = {"methods": Study.methods_of}
"""The param `methods`: those that the experiment compares, with labels and marks."""

AXES: Params = {"axes": Study.axes_of}
"""The param `axes`: those in which the experiment's runs deviate."""


def axes(*read: str) -> Params:
    """Return the param `axes`: those in which runs deviate, and those that the script reads."""
    return {"axes": partial(Study.axes_of, read=read)}


def of_task(*keys: str) -> Any:
    """Return the param that a task's block of the configuration has under a key, and those below.

    It is a function of study and task, and of the experiment if there is one.
    """
    return lambda study, task, *_: reduce(getitem, keys, study.task(task))


DOMAINS: Params = {"domains": of_task("clients", "domains")}
"""Params for what domains the samples of a task are of."""


def setup(study: Study, task: str, *_: str) -> dict[str, str]:
    """Return what decides whether a task's results compare with a paper's."""
    return setup_of(study.task(task))


SETUP: Params = {"setup": setup}
"""Params for the same."""
