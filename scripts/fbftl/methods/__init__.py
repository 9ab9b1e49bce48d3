"""The methods by name. A method is one module with one function:

    run(job: Job, inputs: Inputs) -> Outcome

Modules are imported only when a job runs them.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fbftl.study.job import Job
    from fbftl.tasks.task import Inputs, Outcome


def method(name: str) -> "Callable[[Job, Inputs], Outcome]":
    """Return the run function of a method."""
    return import_module(f"fbftl.methods.{name}").run
