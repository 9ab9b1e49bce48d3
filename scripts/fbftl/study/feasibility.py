"""Whether a task can fill the rounds and hold the memories that its settings ask for.

Decided before any job, from what the configuration and the count of samples say.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.clients import dealing, number_of_clients, own_dealing
from fbftl.study.config import Study
from fbftl.study.dealing import require_enough
from fbftl.study.memory import LARGEST_MEMORY, memory_bytes
from fbftl.study.settings import Setting


def require_feasible(
    study: Study, task: str, samples: int | None, named: int | None = None
) -> None:
    """Refuse rounds or clients larger than the data, and memories that fit nowhere.

    Args:
        study: the checked configuration.
        task: name of the task.
        samples: training samples of the task; None if unknown, and the jobs will find out.
        named: clients that the task's data names, for those that it deals itself.

    Raises:
        UserError: naming key, value and what is possible.
    """
    clients = study.task(task)["clients"]
    settings = {n: s for own in study.settings[task].values() for n, s in own.items()}
    if samples is not None:
        require_enough(f"tasks.{task}.clients.{{}}", clients, samples)
        for setting in settings.values():
            if own_dealing(setting):
                spec = dealing(clients, setting)
                require_enough(f"{{}} of a setting on {task}", spec, samples)
    given = clients["partition"] == "given"
    number = named if given else number_of_clients(clients, samples)
    if number is not None:
        _require_memory(study, task, number, settings.values())
    for name, setting in settings.items():
        # A setting with clients of its own has rounds of all of them where they are few.
        by_rounds = methods.record(setting.method).sends == "rounds"
        if not by_rounds or own_dealing(setting):
            continue
        per_round = study.job(task, name)["training"]["clients_per_round"]
        if number is not None and per_round > number:
            raise UserError(
                f"config: clients_per_round of {setting.method} on {task} is {per_round}, but "
                f"there are {number} clients; give at most {number}"
            )


def _require_memory(study: Study, task: str, clients: int, settings: Iterable[Setting]) -> None:
    """Refuse error feedback whose memories are too large for RAM if there is no other place.

    How wide the cut layer is only the model knows, so this is the least that the memories take,
    by the layers between the head's hidden widths; a training job knows all.
    """
    scratch = study.config["scratch_folder"]
    if scratch is not None and not Path(scratch).is_dir():
        raise UserError(f"config: scratch_folder is '{scratch}', which is no folder; make it first")
    needed = memory_bytes(clients, least_parameters(study.task(task)["head"]))
    remembers = any(
        "feedback" in methods.record(s.method).axes and s.feedback and s.compressed
        for s in settings
    )
    if remembers and scratch is None and needed > LARGEST_MEMORY:
        raise UserError(
            f"config: error feedback on {task} has {clients:,} clients remember at least "
            f"{needed / 1e9:.0f} GB together; name a folder with that much room as scratch_folder, "
            "or set feedback: [false] in the experiment"
        )


def least_parameters(head: Sequence[int]) -> int:
    """Return the parameters of the layers between a head's hidden widths, biases included."""
    return sum((before + 1) * after for before, after in pairwise(head))
