"""Sources as a random variable: the source network of a task pre-trained anew for several seeds.

With `source_seeds: 5` a task has five source networks, each with a seed, initial values and samples
of its own. The task itself has the first. What rests on a further one is a *repeat* of the task: it
lies in a folder below the task's results, which is its name in the plan, and has the same clients,
test samples and settings. Its seeds are others, so that seeds are nested in sources: a draw that
two sources shared would count for both.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.settings import Setting
from fbftl.study.task_names import KEY, is_repeat, task_of


def repeats(task: str, block: Mapping[str, Any]) -> list[str]:
    """Return the names of a task's repeats under further source networks, none without the key.

    Args:
        task: its name.
        block: its block of the configuration.
    """
    return [f"{task}/{KEY}/{number}" for number in range(1, block.get(KEY, 1))]


def block_of(tasks: Mapping[str, dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the block of a task or of a repeat, which differs in the seeds alone.

    The source's seed is the task's and the number of the repeat; the seeds of its runs are those of
    the task moved behind them, so that no two sources share one.

    Args:
        tasks: blocks of the configuration by task.
        name: of the task or repeat.
    """
    block = tasks[task_of(name)]
    if not is_repeat(name):
        return block
    number, seeds = int(name.rpartition("/")[2]), block["seeds"]
    source = block["source"] | {"seed": block["source"]["seed"] + number}
    stretch = max(seeds) - min(seeds) + 1
    return block | {"source": source, "seeds": [seed + number * stretch for seed in seeds]}


def of_repeats(
    tasks: Mapping[str, dict[str, Any]], settings: Mapping[str, dict[str, dict[str, Setting]]]
) -> dict[str, dict[str, dict[str, Setting]]]:
    """Return the settings of the repeats of all tasks, by repeat, experiment and name.

    Args:
        tasks: blocks of the configuration by task.
        settings: those of the tasks that a study makes.

    Raises:
        UserError: where the source network of a task with several is not pre-trained here.
    """
    further: dict[str, dict[str, dict[str, Setting]]] = {}
    for task, experiments in settings.items():
        block = tasks[task]
        every = (setting for of_one in experiments.values() for setting in of_one.values())
        if block.get(KEY, 1) > 1 and (fault := _undrawable(task, block, every)):
            raise UserError(
                f"config: tasks.{task}.{KEY} is {block[KEY]}, but {fault}; leave the key out"
            )
        further |= dict.fromkeys(repeats(task, block), experiments)
    return further


def _undrawable(task: str, block: Mapping[str, Any], settings: Iterable[Setting]) -> str | None:
    """Return why a task has one source only, None if it may have several."""
    source = block["source"]
    if source["kind"] == "vectors":
        return f"tasks.{task} has vectors and no source network"
    if source["kind"] != "pretrain":
        given = source.get("name") or source.get("folder") or source.get("file") or "a file"
        return f"the source network is given ({given}), not pre-trained here"
    if block["kind"] != "images":
        return f"the source dialogues are drawn by tasks.{task}.data.seed with those of the clients"
    if block["features"].get("store"):
        return f"tasks.{task}.features.store is one place for the features of one source"
    for setting in settings:
        if "source_models" in methods.record(setting.method).further:
            return f"the setting '{setting.name}' reads source_models, which are trained once"
    return None
