"""Games between encoder and discriminator that a task cannot play, refused before any job."""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.settings import Setting


def require_game(
    where: str, setting: Setting, block: Mapping[str, Any], training: Mapping[str, Any]
) -> None:
    """Refuse a setting with users of one group each that a task has not, or cannot train.

    Args:
        where: task and setting, for the sentence.
        setting: of a method that knows the axis adversary.
        block: the task's block of the configuration.
        training: the training values of the setting.

    Raises:
        UserError: naming task, setting and remedy.
    """
    network = block["networks"].get(setting.network)
    labelled, groups = block["game"]["labelled"], number_of_groups(block)
    all_known = labelled is None or (groups is not None and {*range(groups)} <= {*labelled})
    mixed = block["clients"]["groups"] is None and block["clients"]["partition"] != "given"
    faults = {
        "give it a network of kind mlp without norm, of which the task's game trains the parts": (
            network is None or network["kind"] != "mlp" or network["norm"] != "none"
        ),
        "give the task groups: data of kind groups, data.group_column, or clients.groups": (
            groups == 0
        ),
        "give majority_users, for the task's clients have samples of several groups": (
            groups != 0 and mixed and setting.majority_users is None
        ),
        "it has no earlier round to go back to: give training.selection: last and validation: 0": (
            training["selection"] != "last" or training["validation"] > 0
        ),
        "its rate falls by game.falling_rate alone, and it counts all classes: leave "
        "training.annealing and training.absent_classes out": (
            training["annealing"] != "none" or training["absent_classes"] != "counted"
        ),
        "a masked sum takes users who all train all parts: leave game.labelled out": (
            setting.aggregation == "masked" and labelled is not None
        ),
        "all its users have labels: give game.labelled, or leave unlabelled_loss out": (
            setting.unlabelled_loss != "none" and all_known
        ),
        f"game.labelled names a group that is not there: give some of 0 to {(groups or 1) - 1}": (
            groups is not None and labelled is not None and max(labelled) >= groups
        ),
    }
    for fault, holds in faults.items():
        if holds:
            raise UserError(f"{where}; {fault}")


def number_of_groups(block: Mapping[str, Any]) -> int | None:
    """Return how many groups a task has: 0 for none, None where only its files tell."""
    data, of_domains = block["data"], block["clients"]["groups"]
    if of_domains is not None:
        return len(set(of_domains))
    if data["kind"] == "groups":
        return len(data["rates"])
    return None if data.get("group_column") else 0
