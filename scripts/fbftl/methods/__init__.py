"""The methods by name. A method is one module with one function:

    run(job: Job, inputs: Inputs) -> Outcome

One that can step several settings together has `run_together` for them as well. Modules are
imported only when a job runs them.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fbftl.study.job import Job
    from fbftl.tasks.task import Inputs, Outcome


def train(jobs: "Sequence[Job]", inputs: "Inputs") -> "list[Outcome]":
    """Train one setting, or several of one method and shape together; return what each found."""
    module = import_module(f"fbftl.methods.{jobs[0].setting.method}")
    if len(jobs) == 1:
        return [module.run(jobs[0], inputs)]
    return module.run_together(jobs, inputs)
