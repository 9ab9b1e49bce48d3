"""Which cuts the settings of a task with images may name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.settings import Setting

ON_FEATURES = ("fbftl", "ftl_c")
"""Methods that train on cached features, and so at any cut whose features there are."""


def settled(setting: Setting, task: str, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a task with images runs it.

    The task's own cut needs no naming. `released` extracts for itself, at any cut.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.

    Raises:
        UserError: naming task, setting and remedy, if there are no features at the setting's cut.
    """
    if setting.method in ON_FEATURES and setting.cut == block["features"]["cut"]:
        setting = replace(setting, cut=None)
    if setting.cut is not None and setting.method != "released":
        _require_features(setting, task, block)
    return setting


def _require_features(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    where = f"config: task '{task}' cannot run the setting '{setting.name}'"
    if setting.method not in ON_FEATURES:
        raise UserError(f"{where}; leave its cut out, which is for {' and '.join(ON_FEATURES)}")
    if setting.cut not in block["features"]["further_cuts"]:
        raise UserError(f"{where}; add its cut to tasks.{task}.features.further_cuts")
    if setting.mechanism == "gaussian" and "norm" not in block["privacy"]["feature_clip"]:
        raise UserError(
            f"{where}; give tasks.{task}.privacy.feature_clip a norm, public features are "
            "extracted at the task's own cut only"
        )
