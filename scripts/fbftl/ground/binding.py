"""A script's `main` called by the names of its arguments, which docs/scripts.md explains."""

import inspect
from collections.abc import Callable
from typing import Any

from fbftl.ground.logs import run_job

OF_STUDY = ("axes", "data_folder", "device")
"""Values of the whole study that a script may take without a param; results depend on no others."""


def run_by_name(job: Any, main: Callable[..., None]) -> None:
    """Run a script's `main` in a job's surroundings, see `fbftl.ground.logs.run_job`.

    Args:
        job: as the workflow hands it to scripts.
        main: called with what the job has of the name of each of its arguments.
    """
    run_job(job, lambda job: main(**arguments(main, job)))


def arguments(main: Callable[..., None], job: Any) -> dict[str, Any]:
    """Return what a job hands to each argument of `main`.

    An argument is the input, output, param or wildcard of its name; where the rule has none, it is
    the number of threads or the study's value of that name, which is one of `OF_STUDY`. `files` is
    every named input by its name. Several files of one name are a list of paths. An argument with a
    default may be absent.

    Args:
        main: takes its arguments by name.
        job: has `input`, `output`, `params`, `wildcards`, `threads` and `config`.

    Raises:
        TypeError: if the job has nothing of an argument's name, or its rule has two.
    """
    of_study = {name: job.config[name] for name in OF_STUDY if name in job.config}
    of_study |= {"threads": job.threads, "files": named(job.input)}
    bound = {}
    for name, argument in inspect.signature(main).parameters.items():
        of_rule = [
            values[name]
            for values in map(named, (job.input, job.output, job.params, job.wildcards))
            if name in values
        ]
        if len(of_rule) > 1:
            raise TypeError(f"rule {job.rule} has two things that are called {name}")
        if of_rule:
            bound[name] = of_rule[0]
        elif name in of_study:
            bound[name] = of_study[name]
        elif argument.default is argument.empty:
            raise TypeError(f"rule {job.rule} has nothing that is called {name}")
    return bound


def named(values: Any) -> dict[str, Any]:
    """Return a job's values by name, several files of one name as a plain list."""
    return {
        name: list(value) if not isinstance(value, str) and hasattr(value, "_names") else value
        for name, value in values.items()
    }
