"""The methods by name. A method is one module with one function:

    run(job: Job, inputs: Inputs) -> Outcome

One that can step several settings together has `run_together` for them as well; those of others
that share a process run one after another. Modules are imported only when a job runs them.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fbftl.study.job import Job
    from fbftl.tasks.task import Inputs, Outcome


def train(jobs: "Sequence[Job]", inputs: "Inputs") -> "list[Outcome]":
    """Train one setting or several of one method; return what each found."""
    module = import_module(f"fbftl.methods.{jobs[0].setting.method}")
    if len(jobs) > 1 and hasattr(module, "run_together"):
        return module.run_together(jobs, inputs)
    return [module.run(job, inputs) for job in jobs]
