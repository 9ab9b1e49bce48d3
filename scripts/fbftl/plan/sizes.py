"""How many parameters the clients of a task train, as far as no job is needed to know."""

from fbftl.data import datasets
from fbftl.ground.errors import UserError
from fbftl.models.planned import trained
from fbftl.models.source import check as source_check
from fbftl.models.t5 import planned as summarisers
from fbftl.study.config import Study
from fbftl.study.feasibility import Sizes


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
    shape = summarisers.shape_of(study.task(task)["source"], study.config["data_folder"])
    if shape is None:
        return Sizes()
    features = study.task(task)["features"]
    cuts = [features["cut"], *features["further_cuts"]]
    return Sizes(summarisers.heads(shape, cuts), {None: summarisers.whole(shape)})
