"""A study checked before any job: the files that it names, its sizes, and its budgets."""

import sys
from dataclasses import asdict
from functools import partial

from fbftl.data import datasets
from fbftl.data.dialogues import splits as dialogues
from fbftl.data.open import check_open
from fbftl.data.public import check_classes, check_public, public_count
from fbftl.ground.digests import Digests
from fbftl.models.chain import check_networks
from fbftl.models.source import check as source_check
from fbftl.plan.runs import together
from fbftl.plan.sizes import sizes_of
from fbftl.privacy.release import releases
from fbftl.study import methods
from fbftl.study.clients import Dealing
from fbftl.study.config import Study
from fbftl.study.feasibility import require_feasible
from fbftl.study.job import from_params


def require_makeable(study: Study, digests: Digests) -> None:
    """Refuse a study whose files are missing or do not fit.

    Args:
        study: what is made.
        digests: of the user's files.

    Raises:
        UserError: at the first fault.
    """
    for task in study.tasks_of("images"):
        _require_images(study, task, digests)
    for task in study.tasks_of("dialogues"):
        block, folder = study.task(task), study.config["data_folder"]
        source_check.require_pinned(block["source"], folder, digests)
        dialogues.check(block["data"], folder, digests)
        samples = dialogues.training_count(block["data"], folder)
        require_feasible(study, task, samples, sizes=sizes_of(study, task))


def _require_images(study: Study, task: str, digests: Digests) -> None:
    block, folder = study.task(task), study.config["data_folder"]
    source_check.require_one_kind(f"config: tasks.{task}", block)
    datasets.check(block["data"], folder)
    datasets.require_named_clients(task, block, folder)
    for note in datasets.outline(block["data"], folder).notes:
        print(f"tasks.{task}.{note}", file=sys.stderr)
    source_check.check(block["source"], folder, digests)
    check_networks(task, block, study.client_parts(task))
    check_open(task, block, folder)
    samples = datasets.training_count(block["data"], folder)
    named = datasets.named_clients(block["data"], folder)
    public = None
    if study.asks_public(task):
        check_public(block["source"], block["public"], folder)
    if study.buys(task):
        check_classes(task, block, folder)
        public = public_count(block["source"], block["public"], folder)
    require_feasible(study, task, samples, named, sizes_of(study, task), public)
    if block["privacy"]["budget"]:
        require_budget(study, task, samples)


def releases_in(study: Study, task: str) -> dict[str, str]:
    """Return what stands for the release of each setting in a task's groups, by its name."""
    jobs = {name: study.job(task, name) for name in together(study, task)}
    return releases(jobs, methods.axes_by_method())


def require_budget(study: Study, task: str, samples: int | None) -> None:
    """Refuse releases that cost more together than the task's budget of privacy.

    Args:
        study: what is made.
        task: name of the task.
        samples: its training samples, None if unknown.

    Raises:
        UserError: naming the group and what it costs.
    """
    # Accountants are slow to import, and only budgets ask them before a job.
    from fbftl.methods.by_name import planned_guarantees
    from fbftl.privacy.together import Released, costs, require_within

    block, axes = study.task(task), methods.axes_by_method()
    delta, rows = block["privacy"]["delta"], block["clients"]["samples_per_client"] or 1
    spellings = releases_in(study, task)
    for name, settings in study.together(task).items():
        released = []
        for setting in map(partial(study.setting, task), settings):
            number = Dealing.of(block["clients"], setting).clients(samples) or 1
            clients = round(setting.fraction * number)
            records = planned_guarantees(
                from_params(study.job_of(task, setting), axes), max(1, clients)
            )
            released.append(
                Released(
                    setting.name,
                    [asdict(record) for record in records],
                    setting.samples_per_client,
                    spellings[setting.name],
                    methods.record(setting.method).unprotected.get(setting.mechanism),
                )
            )
        require_within(block["privacy"]["budget"], costs(released, delta, rows), delta, task, name)
