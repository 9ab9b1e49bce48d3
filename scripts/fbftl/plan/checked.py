"""A study checked before any job: the files that it names, and its sizes."""

import sys

from fbftl.data import datasets
from fbftl.data.dialogues import splits as dialogues
from fbftl.data.open import check_open
from fbftl.data.public import check_classes, check_public, public_count
from fbftl.ground.digests import Digests
from fbftl.models.chain import check_networks
from fbftl.models.source import check as source_check
from fbftl.plan.sizes import sizes_of
from fbftl.study.config import Study
from fbftl.study.feasibility import require_feasible


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
