"""Whether a task can fill the rounds and hold the memories that its settings ask for.

Decided before any job, from what the configuration and the count of samples say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.ring import too_large
from fbftl.study import methods
from fbftl.study.clients import number_of_clients, partition_of, partition_overrides
from fbftl.study.config import Study
from fbftl.study.impossible import require_possible
from fbftl.study.memory import LARGEST_MEMORY, memory_bytes
from fbftl.study.methods.ecos import cloud_faults
from fbftl.study.partition_faults import OF_SHARDS, require_enough
from fbftl.study.settings import Setting


@dataclass(frozen=True)
class Sizes:
    """Classes, and parameters that clients train, where they are known before any job.

    heads: parameters of the head, by the cut before it, as text.
    networks: parameters of a network that the task names, by name; under None of all that is
        trained without one: source and head, or all of a T5.
    classes: that there are, None of a task without classes.
    """

    heads: Mapping[str, int] = field(default_factory=dict)
    networks: Mapping[str | None, int] = field(default_factory=dict)
    classes: int | None = None


NOTHING_KNOWN = Sizes()


def require_feasible(
    study: Study,
    task: str,
    samples: int | None,
    named: int | None = None,
    sizes: Sizes = NOTHING_KNOWN,
) -> None:
    """Refuse rounds or clients larger than the data, and memories that fit nowhere.

    Args:
        study: the checked configuration.
        task: name of the task.
        samples: training samples of the task; None if unknown, and the jobs will find out.
        named: clients that the task's data names, for those that it deals itself.
        sizes: of the task's networks, as far as they are known.

    Raises:
        UserError: naming key, value and what is possible.
    """
    require_dealable(study, task, samples)
    clients = study.task(task)["clients"]
    _require_classes(study, task, sizes.classes)
    named_by_data = clients["partition"] == "given"
    number = named if named_by_data else number_of_clients(clients, samples)
    _require_scratch(study)
    for name, setting in _settings(study, task).items():
        count = number_of_clients(partition_of(clients, setting), samples)
        offering = named if named_by_data and not partition_overrides(setting) else count
        require_possible(setting, study.task(task), task, samples, offering)
        _require_ring(setting, study.task(task), task, samples, offering)
        if partition_overrides(setting):
            # Rounds are of all its clients where they are few.
            count = number_of_clients(partition_of(clients, setting), samples)
            _require_memory(study, task, count, setting, sizes)
            continue
        _require_memory(study, task, number, setting, sizes)
        if not methods.record(setting.method).by_rounds:
            continue
        # A round of dialogues is a batch of them.
        per_round = study.job(task, name)["training"].get("clients_per_round", 1)
        if number is not None and per_round > number:
            raise UserError(
                f"config: clients_per_round of {setting.method} on {task} is {per_round}, but "
                f"there are {number} clients; give at most {number}"
            )


def require_cloud(study: Study, task: str, rows: int | None, samples: int | None) -> None:
    """Refuse a purchase or centroids beyond the public rows, and uploaders beyond the clients.

    Args:
        study: the checked configuration.
        task: name of the task.
        rows: public rows of the task; None if unknown, and the jobs will find out.
        samples: training samples of the task; None if unknown.

    Raises:
        UserError: naming axis, value and what is possible.
    """
    clients = study.task(task)["clients"]
    for name, setting in _settings(study, task).items():
        if not methods.record(setting.method).knows("purchase"):
            continue
        number = number_of_clients(partition_of(clients, setting), samples)
        for fault in cloud_faults(setting, rows, number):
            raise UserError(f"config: the setting '{name}' on {task} {fault}")


def require_dealable(study: Study, task: str, samples: int | None) -> None:
    """Refuse more clients, samples per client or shards than a task of any kind has samples.

    Args:
        study: the checked configuration.
        task: name of the task.
        samples: training samples of the task; None if unknown, and the jobs will find out.

    Raises:
        UserError: naming key, value and what is possible.
    """
    if samples is None:
        return
    clients = study.task(task)["clients"]
    require_enough(f"tasks.{task}.clients.{{}}", clients, samples)
    for setting in _settings(study, task).values():
        if partition_overrides(setting):
            require_enough(f"{{}} of a setting on {task}", partition_of(clients, setting), samples)


def _require_classes(study: Study, task: str, classes: int | None) -> None:
    """Refuse shards of more classes than there are for a client, wherever clients hold shards."""
    clients = study.task(task)["clients"]
    partitions = {
        clients["partition"],
        *(setting.partition for setting in _settings(study, task).values()),
    }
    shards = clients.get("shards_per_client", 1)
    if classes is not None and partitions.intersection(OF_SHARDS) and shards > classes:
        raise UserError(
            f"config: tasks.{task}.clients.shards_per_client is {shards}, a class each, but there "
            f"are {classes} classes; give at most {classes}"
        )


def _require_ring(
    setting: Setting, block: Mapping[str, Any], task: str, samples: int | None, clients: int | None
) -> None:
    """Refuse a masked sum that could leave the largest ring, with the bits that it would need.

    Where clipping or counting bounds what is sent, its sums are known before any job; how large
    other numbers are only a job knows, and refuses them there.
    """
    if setting.aggregation == "open" or samples is None:
        return
    largest = methods.record(setting.method).largest_sum(setting, block, samples)
    if largest is None:
        return
    members = samples if clients is None else clients
    if fault := too_large(largest, members + 1, setting.fraction_bits):
        raise UserError(f"config: the setting '{setting.name}' on {task} {fault}")


def _settings(study: Study, task: str) -> dict[str, Setting]:
    return {
        n: s for of_experiment in study.settings[task].values() for n, s in of_experiment.items()
    }


def _require_scratch(study: Study) -> None:
    """Refuse a bound on memory without a folder for what exceeds it, or a folder that is none."""
    scratch = study.config["scratch_folder"]
    if study.config["memory"] is not None and scratch is None:
        raise UserError(
            "config: memory is set, but scratch_folder is null; name a folder with room for what "
            "takes more, or leave memory out"
        )
    if scratch is not None and not Path(scratch).is_dir():
        raise UserError(f"config: scratch_folder is '{scratch}', which is no folder; make it first")


def _require_memory(
    study: Study, task: str, clients: int | None, setting: Setting, sizes: Sizes
) -> None:
    """Refuse error feedback whose memories are too large for RAM if there is no other place.

    Only clients that take part remember anything.
    """
    remembers = "feedback" in methods.record(setting.method).by_name
    if clients is None or not (remembers and setting.feedback and setting.compressed):
        return
    parameters, exactly = _parameters(study.task(task), setting, sizes)
    clients = ceil(clients * setting.fraction)
    needed = memory_bytes(clients, parameters)
    if study.config["scratch_folder"] is None and needed > LARGEST_MEMORY:
        raise UserError(
            f"config: error feedback on {task} has {clients:,} clients remember "
            f"{'' if exactly else 'at least '}{needed / 1e9:.0f} GB together in the setting "
            f"'{setting.name}'; name a folder with that much room as scratch_folder, or set "
            "feedback: [false] in the experiment"
        )


def _parameters(block: Mapping[str, Any], setting: Setting, sizes: Sizes) -> tuple[int, bool]:
    """Return the parameters that a setting's clients train, and whether they are all of them."""
    if methods.record(setting.method).reads == "features":
        parameters = sizes.heads.get(str(setting.cut or block["features"]["cut"]))
    else:
        parameters = sizes.networks.get(setting.network)
    if parameters is not None:
        return parameters, True
    return least_parameters(block.get("head", ())) if setting.network is None else 0, False


def least_parameters(head: Sequence[int]) -> int:
    """Return the parameters of the layers between a head's hidden widths, biases included."""
    return sum((before + 1) * after for before, after in pairwise(head))
