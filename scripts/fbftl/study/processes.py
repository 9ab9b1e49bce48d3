"""Which settings train in one process.

Their heads step together, or they share a clustering, or they train one after another and pay for
the process's start once.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from math import ceil, prod
from typing import Any

from fbftl.ground.digests import digest_of_value
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.feasibility import NOTHING_KNOWN, Sizes
from fbftl.study.job import most_epochs
from fbftl.study.record import MethodRecord
from fbftl.study.settings import Setting

AUTO = "auto"
"""Value of `settings_per_process`: as many as pay, of settings that train for a few seconds."""

SHORT = 10**11
"""Multiplications of a training that takes a few seconds of one core, as does its start."""

MOST = 8
"""Such settings that share a process at most: then starts are an eighth of what they were."""

Waiting = Mapping[str, Collection[str]]
"""Settings that have to be trained, by the name of their task."""


def bounds(
    study: Study, waiting: Waiting, short: Waiting, places: int
) -> dict[str, dict[str, int]]:
    """Return how many settings each may share its process with at most, itself included, by task.

    Under `auto` those that train for a few seconds share one, up to `MOST`, and as few as keep
    every place busy; all others have one each.

    Args:
        study: the study.
        waiting: what has to be trained.
        short: what of it trains for a few seconds, see `short_settings`.
        places: processes that can run at once.
    """
    auto = [task for task in waiting if study.task(task)["settings_per_process"] == AUTO]
    most = min(MOST, ceil(sum(len(short[task]) for task in auto) / places))
    return {
        task: {
            name: (most if name in short[task] else 1)
            if task in auto
            else study.task(task)["settings_per_process"]
            for name in names
        }
        for task, names in waiting.items()
    }


def short_settings(
    study: Study,
    task: str,
    names: Collection[str],
    samples: int | None,
    sizes: Sizes = NOTHING_KNOWN,
) -> set[str]:
    """Return which settings train for a few seconds, as far as that is known before any job.

    Counted are the multiplications of a head's training on features, of methods that find the same
    to the bit whichever settings share their process.

    Args:
        study: the study.
        task: name of the task.
        names: of the settings.
        samples: its training samples; None if unknown.
        sizes: parameters of its heads.
    """
    block = study.task(task)
    if samples is None or "training" not in block:
        return set()
    rows = samples * len(block["seeds"])

    def is_short(setting: Setting) -> bool:
        if not methods.record(setting.method).alike_together:
            return False
        weights = sizes.heads.get(str(setting.cut or block["features"]["cut"]))
        passes = most_epochs(block["training"]["epochs"])
        return weights is not None and 3 * prod((weights, rows, passes)) <= SHORT

    return {name for name in names if is_short(study.setting(task, name))}


def shared_processes(study: Study, task: str, most: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the settings of every process that trains several of them, by the process's name.

    Settings share one if the same experiments ask for them, so that whoever asks for one asks for
    all. A setting that none shares its process with is not among them. Settings of a cheap method
    share theirs whatever the bound. A process is called by its first experiment and by a digest of
    its settings: another has another name.

    Args:
        study: the study.
        task: name of a task with images.
        most: settings that have to be trained, with the bound of each, see `bounds`.
    """
    asking = _asking(study, task)
    alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, experiments in asking.items():
        if name in most:
            alike[experiments].append(name)
    return {
        f"{experiments[0]}-{digest_of_value(together)[:8]}": together
        for experiments, names in alike.items()
        for together in _batches(study, task, names, most)
        if len(together) > 1
    }


def _asking(study: Study, task: str) -> dict[str, tuple[str, ...]]:
    """Return the experiments that ask for each setting of a task."""
    asking: dict[str, tuple[str, ...]] = {}
    for experiment, settings in study.settings[task].items():
        for name in settings:
            asking[name] = (*asking.get(name, ()), experiment)
    return asking


def _batches(
    study: Study, task: str, names: list[str], most: Mapping[str, int]
) -> Iterator[list[str]]:
    """Yield settings that share work or a start, and whose input files are the same."""
    bounded: defaultdict[tuple[Any, ...], list[str]] = defaultdict(list)
    cheap: defaultdict[tuple[Any, ...], list[str]] = defaultdict(list)
    for name in names:
        setting = study.setting(task, name)
        record = methods.record(setting.method)
        common = _in_common(record, setting)
        if common is not None and (record.cheap or most[name] > 1):
            alike = cheap if record.cheap else bounded
            reads = study.reads(task, name)
            alike[record.name, setting.cut, reads, most[name], *common].append(name)
    for group in bounded.values():
        size = most[group[0]]
        yield from (group[start : start + size] for start in range(0, len(group), size))
    yield from cheap.values()


def _in_common(record: MethodRecord, setting: Setting) -> tuple[Any, ...] | None:
    """Return what settings of a method have in common that share a process, None if none do."""
    if record.together is not None:
        return record.together(setting)
    return () if record.sends == "local" else None
