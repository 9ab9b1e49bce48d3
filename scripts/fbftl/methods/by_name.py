"""What the plan and jobs know of a method by its name.

A method is a module, or a folder with everything that is its alone. The module, or `run.py` of the
folder, has one function:

    run(job: Job, inputs: Inputs) -> Outcome

One that can step several settings together has `run_together(jobs, inputs) -> Iterable[Outcome]` in
its place, which yields in the order of the jobs; those of others that share a process run one after
another. Where the learner differs by the kind of task, the folder's `__init__.py` has its name for
each kind in `LEARNER`. Modules are imported only when they are needed.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fbftl.study.job import Job
    from fbftl.training.tasks.task import Inputs, Outcome


def entry_module(method: str) -> str:
    """Return the dotted name of the module that runs a method."""
    in_folder = Path(__file__).with_name(method).joinpath("run.py").is_file()
    return f"fbftl.methods.{method}.run" if in_folder else f"fbftl.methods.{method}"


def modules(method: str, kind: str, reads: str, *parts: str) -> tuple[str, ...]:
    """Return the dotted names of all modules that a job of a method imports by name.

    Args:
        method: its name.
        kind: of the task.
        reads: what it trains on, as its record says: features, or clients and source.
        parts: dotted names below its folder of what its setting names.
    """
    of_task: tuple[str, ...] = (f"fbftl.training.tasks.{kind}",)
    if reads != "features":
        of_task += (f"fbftl.training.tasks.{kind}_samples",)
    if learner := _learners(method).get(kind):
        of_task += (learner.rpartition(".")[0],)
    of_setting = (f"fbftl.methods.{method}.{part}" for part in parts)
    return (entry_module(method), *of_task, *of_setting)


def _learners(method: str) -> dict[str, str]:
    """Return the dotted name of a method's learner by kind of task, if it differs by it."""
    if not Path(__file__).with_name(method).is_dir():
        return {}
    return getattr(import_module(f"fbftl.methods.{method}"), "LEARNER", {})


def of_kind(job: "Job") -> Any:
    """Return the learner of a method for the kind of a job's task."""
    module, _, name = _learners(job.setting.method)[job.kind].rpartition(".")
    return getattr(import_module(module), name)


def train(jobs: "Sequence[Job]", inputs: "Inputs") -> "list[Outcome]":
    """Train one setting or several of one method; return what each found."""
    return list(trained(jobs, inputs))


def trained(jobs: "Sequence[Job]", inputs: "Inputs") -> "Iterator[Outcome]":
    """Train one setting or several of one method; yield what each found as soon as it has."""
    module = import_module(entry_module(jobs[0].setting.method))
    if hasattr(module, "run_together"):
        yield from module.run_together(jobs, inputs)
    else:
        yield from (module.run(job, inputs) for job in jobs)
