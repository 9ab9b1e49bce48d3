"""Which settings a seq2seq task knows: methods, cuts, fractions, and dialogues lost for good."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.settings import Setting

METHODS = ("fbftl", "ftl_c", "ftl_f")
AXES = ("method", "cut", "fraction", "plr")


def settled(setting: Setting, task: str, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a seq2seq task runs it: axes without effect left out.

    The task's own cut needs no naming, and FTL_f, which trains every layer, has none.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.

    Raises:
        UserError: naming task, setting and axis, if a seq2seq task cannot run it.
    """
    features = block["features"]
    if setting.method == "ftl_f" or setting.cut == str(features["cut"]):
        setting = replace(setting, cut=None)
    _require_known(setting, task, features)
    return setting


def _require_known(setting: Setting, task: str, features: Mapping[str, Any]) -> None:
    where = f"config: task '{task}' is seq2seq and cannot run the setting '{setting.name}'"
    if setting.method not in METHODS:
        raise UserError(f"{where}; choose its method among {', '.join(METHODS)}")
    for axis in setting.deviations():
        if axis not in AXES:
            raise UserError(f"{where}; leave the axis '{axis}' out")
    if setting.plr > 0 and setting.method != "fbftl":
        raise UserError(f"{where}; a packet loss rate is for fbftl there, lost dialogues for good")
    if setting.cut is not None and setting.cut not in map(str, features["further_cuts"]):
        raise UserError(f"{where}; add its cut to tasks.{task}.features.further_cuts")
