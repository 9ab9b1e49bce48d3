"""A task with images as the plan sees it: its settings, their jobs, and the cuts they may name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.settings import Setting

NEEDED: dict[str, tuple[str, ...]] = {
    "none": (),
    "relative": (),
    "gaussian": ("delta", "feature_clip"),
    "dp_fedavg": ("delta", "update_clip"),
}
"""The values of the block `privacy` that each mechanism needs; a job is given no others."""


def settled(setting: Setting, task: str, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a task with images runs it: the task's own cut needs no naming.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.

    Raises:
        UserError: naming task, setting and remedy, if there are no features at the setting's cut.
    """
    if _on_features(setting) and setting.cut == block["features"]["cut"]:
        setting = replace(setting, cut=None)
    check(setting, task, block)
    return setting


def check(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse a cut at which there are no features; who runs the network itself has any.

    Raises:
        UserError: naming task, setting and remedy.
    """
    if setting.cut is None or not _on_features(setting):
        return
    where = f"config: task '{task}' cannot run the setting '{setting.name}'"
    if setting.cut not in block["features"]["further_cuts"]:
        raise UserError(f"{where}; add its cut to tasks.{task}.features.further_cuts")
    if setting.mechanism == "gaussian" and "norm" not in block["privacy"]["feature_clip"]:
        raise UserError(
            f"{where}; give tasks.{task}.privacy.feature_clip a norm, public features are "
            "extracted at the task's own cut only"
        )


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    training = block["training"] | block["methods"].get(setting.method, {})
    privacy = block["privacy"]
    if setting.mechanism == "dp_fedavg":
        training |= privacy["training"]
    return {
        "head": block["head"],
        "clients": block["clients"],
        "training": training,
        "privacy": {key: privacy[key] for key in NEEDED[setting.mechanism]},
    }


def _on_features(setting: Setting) -> bool:
    return methods.record(setting.method).reads == "features"
