"""Attacks on what the clients of one method send: a module for each method, found by its name.

Such a module has `attacked(job, client_data)`, whose first attack of a setting is in the table of
the frameworks.
"""

from importlib import import_module

from fbftl.attacks.attained import Attained
from fbftl.attacks.sent_models import OF_AVERAGE
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack what the clients of a job's method send."""
    found: list[Attained] = import_module(f"{__name__}.{job.setting.method}").attacked(
        job, client_data
    )
    return found


def first_of_kinds(attained: list[Attained]) -> dict[str, float]:
    """Return what the first attack of each kind attains, mean over its victims, and blindly.

    A column is called after the attack, and has `_of_average` behind it where the adversary sees no
    more than what all clients get; that of its blind guess has `_blind` behind it.
    """
    columns: dict[str, float] = {}
    for attack in attained:
        name = attack.attack.replace(" ", "_")
        name += "_of_average" if attack.adversary == OF_AVERAGE else ""
        columns = {name: attack.row["value"], f"{name}_blind": attack.blind} | columns
    return columns
