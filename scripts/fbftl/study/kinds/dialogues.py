"""A seq2seq task as the plan sees it: its settings, their jobs, and what it cannot run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.settings import Setting

AXES = ("method", "cut", "fraction", "plr")
"""Axes that a seq2seq task knows."""


def settled(setting: Setting, task: str, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a seq2seq task runs it: the task's own cut needs no naming.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.

    Raises:
        UserError: naming task, setting and axis, if a seq2seq task cannot run it.
    """
    if setting.cut == str(block["features"]["cut"]):
        setting = replace(setting, cut=None)
    check(setting, task, block)
    return setting


def check(setting: Setting, task: str, block: Mapping[str, Any]) -> None:
    """Refuse what a seq2seq task cannot run.

    Raises:
        UserError: naming task, setting and axis.
    """
    where = f"config: task '{task}' is seq2seq and cannot run the setting '{setting.name}'"
    known = methods.on_kind("seq2seq")
    if setting.method not in known:
        raise UserError(f"{where}; choose its method among {', '.join(known)}")
    for axis in setting.deviations():
        if axis not in AXES:
            raise UserError(f"{where}; leave the axis '{axis}' out")
    if setting.plr > 0 and setting.method != "fbftl":
        raise UserError(f"{where}; a packet loss rate is for fbftl there, lost dialogues for good")
    if setting.cut is not None and setting.cut not in map(str, block["features"]["further_cuts"]):
        raise UserError(f"{where}; add its cut to tasks.{task}.features.further_cuts")


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    return {
        "cut": block["features"]["cut"] if setting.cut is None else int(setting.cut),
        "training": block["training"],
        "summary_tokens": block["evaluation"]["longest"],
    }
