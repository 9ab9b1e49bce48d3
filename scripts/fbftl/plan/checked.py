"""A study checked before any job: the files that it names, and what its clients train."""

import sys

from fbftl.data import datasets, dialogues
from fbftl.data.public import check_classes, check_open, check_public, public_count
from fbftl.ground.digests import Digests
from fbftl.ground.errors import UserError
from fbftl.models.chain import check_networks
from fbftl.models.planned import summariser, trained, trained_of_summariser
from fbftl.models.source import check as source_check
from fbftl.study.config import Study
from fbftl.study.feasibility import Sizes, require_feasible


def require_makeable(study: Study, digests: Digests) -> None:
    """Refuse a study whose files are missing or do not fit.

    Args:
        study: what is made.
        digests: of the user's files.

    Raises:
        UserError: at the first fault.
    """
    for task in study.tasks:
        block, folder = study.task(task), study.config["data_folder"]
        if block["kind"] == "images":
            _require_images(study, task, digests)
            continue
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


def sizes_of(study: Study, task: str) -> Sizes:
    """Return the sizes of a task's heads and networks.

    Raises:
        UserError: naming the task, where its networks cannot be built.
    """
    block, folder = study.task(task), study.config["data_folder"]
    if block["kind"] == "dialogues":
        return _of_summariser(study, task)
    try:
        classes = datasets.class_count(block["data"], folder)
        return trained(
            block,
            study.cuts(task),
            classes,
            source_check.image(block["source"], folder),
            datasets.image(block["data"], folder),
        )
    except UserError as error:
        raise UserError(f"config: tasks.{task}: {error}") from error


def _of_summariser(study: Study, task: str) -> Sizes:
    shape = summariser(study.task(task)["source"], study.config["data_folder"])
    if shape is None:
        return Sizes()
    features = study.task(task)["features"]
    return trained_of_summariser(shape, [features["cut"], *features["further_cuts"]])
