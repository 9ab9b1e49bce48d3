"""Settings of a task as tables read them: run files, networks' descriptions."""

from collections.abc import Callable, Iterable

from fbftl.plan import paths
from fbftl.study.config import Study

Chosen = Callable[[Study, str], Iterable[str]]
"""Which settings of a task are meant: a function of study and task that returns their names."""


def every(study: Study, task: str) -> list[str]:
    """Return all settings of a task, each once."""
    names = (name for settings in study.settings[task].values() for name in settings)
    return list(dict.fromkeys(names))


def files_of_experiment(
    study: Study, task: str, experiment: str, suffix: str = "json"
) -> list[str]:
    """Return one file of every run of an experiment on a task."""
    return paths.runs(task, study.settings[task][experiment], suffix)


def networks(study: Study, task: str, experiment: str) -> list[str]:
    """Return the description of the network that every run of an experiment on a task trains."""
    return [
        paths.of_task(task, f"networks/{setting.network}.json")
        if setting.network
        else f"{paths.of_cut(task, setting.cut, 'network')}.json"
        for setting in study.settings[task][experiment].values()
    ]
