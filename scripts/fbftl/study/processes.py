"""Which settings train in one process.

Their heads step together, or they share a clustering, or they train one after another and pay for
the process's start once.
"""

from collections import defaultdict
from collections.abc import Iterator

from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.outsourcing import COUNTING
from fbftl.study.shards import WHOLE
from fbftl.study.uploads import is_plain


def shared_processes(study: Study, task: str) -> dict[str, list[str]]:
    """Return the settings of every process that trains several of them, by the process's name.

    Each experiment has processes of its own, so that a change to one leaves the others' runs
    alone; a setting of several experiments belongs to the first. A setting that none shares its
    process with is not among them. Settings of ECOS share theirs whatever the bound: one takes
    less than its process takes to start.

    Args:
        study: the study.
        task: name of a task with images, with the bound `settings_per_process`.
    """
    most = study.task(task)["settings_per_process"]
    placed: set[str] = set()
    processes = {}
    for experiment, settings in study.settings[task].items():
        free = [name for name in settings if name not in placed]
        placed.update(free)
        shared = [names for names in _batches(study, task, free, most) if len(names) > 1]
        stem = experiment if study.shard == WHOLE else f"{experiment}-{study.shard.number}"
        processes |= {f"{stem}-{number}": names for number, names in enumerate(shared, 1)}
    return processes


def _batches(study: Study, task: str, names: list[str], most: int) -> Iterator[list[str]]:
    """Yield settings that share work or a start, and whose input files are the same."""
    alike, clusterings = defaultdict(list), defaultdict(list)
    for name in names:
        setting = study.setting(task, name)
        if setting.method == "fbftl":
            stacked = setting.noise if is_plain(setting) else None
            alike[setting.cut, stacked, study.needs_public(task, name)].append(name)
        if setting.method == "ecos":
            clusterings[setting.centroids if setting.choice in COUNTING else None].append(name)
        if setting.method == "private_gd":
            alike[setting.steps, setting.momentum, setting.mechanism].append(name)
        if methods.record(setting.method).sends == "local":
            key = setting.method, setting.cut, study.reads(task, name), setting.adversary
            alike[key].append(name)
    for group in alike.values():
        yield from (group[start : start + most] for start in range(0, len(group), most))
    yield from clusterings.values()
