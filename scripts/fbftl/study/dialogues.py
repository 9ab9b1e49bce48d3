"""A task of dialogues as the plan sees it: its settings, their jobs, and what it cannot run."""

from collections.abc import Iterator, Mapping
from typing import Any

from fbftl.study import methods
from fbftl.study.clients import Dealing
from fbftl.study.images import needed
from fbftl.study.settings import Setting

UNKNOWN = ("loss", "noise_draw", "label_epsilon", "partition", "alpha", "clients_per_round")
"""Axes that dialogues do not have: losses that come back, redrawn noise, what needs classes, and
clients of a round, of which a task of dialogues has none beside its batch."""

MECHANISMS = ("none", "relative", "gaussian")
"""The mechanisms that there are."""


def settled(setting: Setting, block: Mapping[str, Any]) -> Setting:
    """Return a setting as a task of dialogues runs it: the task's own cut needs no naming."""
    named = setting.cut == str(block["features"]["cut"])
    return setting.with_axes(cut=None) if named else setting


def faults(
    setting: Setting, task: str, block: Mapping[str, Any], _dealing: Dealing
) -> Iterator[str]:
    """Yield why a task of dialogues cannot run a setting, each with its remedy.

    Args:
        setting: what an experiment asks for.
        task: the task's name.
        block: its block of the configuration.
    """
    runnable = [record.name for record in methods.RECORDS if "dialogues" in record.kinds]
    if setting.method not in runnable:
        yield f"of dialogues, choose the method among {', '.join(runnable)}"
    for axis in setting.deviations():
        if axis in UNKNOWN:
            yield f"dialogues do not have the axis '{axis}': leave it out"
    if setting.mechanism not in MECHANISMS:
        yield f"of dialogues, choose the mechanism among {', '.join(MECHANISMS)}"
    if setting.mechanism == "gaussian" and "norm" not in block["privacy"]["feature_clip"]:
        yield f"give tasks.{task}.privacy.feature_clip a norm"
    if setting.cut is not None and setting.cut not in map(str, block["features"]["further_cuts"]):
        yield f"add its cut to tasks.{task}.features.further_cuts"


def job(setting: Setting, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job depends on beside task, setting and seeds, in builtin types."""
    return {
        "clients": block["clients"],
        "training": block["training"],
        "privacy": {key: block["privacy"][key] for key in needed(setting)},
        "block": {
            "cut": block["features"]["cut"] if setting.cut is None else int(setting.cut),
            "summary_tokens": block["evaluation"]["longest"],
        },
    }


def reads(setting: Setting) -> tuple[str, ...]:
    """Return the names of the files that a setting is trained from.

    Token ids lie beside the features, and whoever trains from either generates summaries.
    """
    return ("features", "clients", "weights", "source")
