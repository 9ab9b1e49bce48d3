"""Whether a task has the clients and samples that its settings ask for, before any job."""

import math
from collections.abc import Mapping
from typing import Any

from fbftl.config import Study
from fbftl.errors import UserError

BY_ROUNDS = ("fl", "sfl", "ftl_f", "ftl_c")
"""Methods with rounds of clients_per_round clients [U C]."""


def require_feasible(study: Study, task: str, samples: int | None) -> None:
    """Refuse rounds of more clients than there are, and clients of more samples than there are.

    Args:
        study: the checked configuration.
        task: name of the task.
        samples: training samples of the task; None if unknown, and the jobs will find out.

    Raises:
        UserError: naming key, value and what is possible.
    """
    clients = study.task(task)["clients"]
    settings = {n: s for own in study.settings[task].values() for n, s in own.items()}
    own_sizes = [s.samples_per_client or 1 for s in settings.values()]
    sizes = {
        f"tasks.{task}.clients.samples_per_client": clients["samples_per_client"] or 1,
        f"samples_per_client of a setting on {task}": max(own_sizes, default=1),
    }
    for key, size in sizes.items():
        if samples is not None and size > samples:
            raise UserError(
                f"config: {key} is {size}, but there are {samples} training samples; "
                f"give at most {samples}"
            )
    number = number_of_clients(clients, samples)
    for name, setting in settings.items():
        # A setting with clients of its own has rounds of all of them where they are few.
        if setting.method not in BY_ROUNDS or setting.samples_per_client is not None:
            continue
        per_round = study.job(task, name)["training"]["clients_per_round"]
        if number is not None and per_round > number:
            raise UserError(
                f"config: clients_per_round of {setting.method} on {task} is {per_round}, but "
                f"there are {number} clients; give at most {number}"
            )


def number_of_clients(clients: Mapping[str, Any], samples: int | None) -> int | None:
    """Return the number of clients U of a partition, or None if the data decides it."""
    if clients["partition"] == "given":
        return None
    if clients["clients"] is not None:
        return clients["clients"]
    return None if samples is None else math.ceil(samples / clients["samples_per_client"])
