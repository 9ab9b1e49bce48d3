"""Jobs that choose something: heads and epochs by a rule, single settings."""

from typing import Any

from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.settings import Setting


def head(study: Study, task: str) -> dict[str, Any]:
    """Return FbFTL's clean job, longer than will be needed and with the rule's own seeds."""
    choice = study.config["head_choice"]
    return _longer(study, study.job_of(task, Setting())) | {"seeds": list(range(choice["seeds"]))}


def networks(study: Study, task: str) -> list[dict[str, Any]]:
    """Return the clean jobs of the task's methods that train the network, as long."""
    return [
        _longer(study, study.job_of(task, Setting(method=method)))
        for method in study.clean_methods(task)
        if methods.record(method).trains_network
    ]


def _longer(study: Study, job: dict[str, Any]) -> dict[str, Any]:
    epochs = study.config["head_choice"]["epochs"]
    return job | {"training": job["training"] | {"epochs": epochs}}


def noisiest_even_descent(study: Study, task: str) -> dict[str, Any]:
    """Return the job of even noise with the fewest samples, then steps, for their influence."""
    even = [
        setting
        for setting in study.settings[task]["budget"].values()
        if (setting.mechanism, setting.schedule, setting.descent_momentum)
        == ("dp_gd", "uniform", 0)
    ]
    noisiest = min(even, key=lambda axes: (axes.fraction, axes.descent_steps, axes.name))
    return study.job_of(task, noisiest)
