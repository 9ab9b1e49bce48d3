"""Settings that a task of known size cannot run, refused before any job."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.methods import record
from fbftl.study.settings import Setting

PACKAGES = {"paillier": "phe", "ckks": "tenseal"}
"""Package that each protection needs beside the plain requirements."""


def require_possible(
    setting: Setting, block: Mapping[str, Any], task: str, samples: int | None, clients: int | None
) -> None:
    """Refuse what no job of a task could do.

    Args:
        setting: of the task.
        block: its block of the configuration.
        task: its name.
        samples: training samples, None if unknown.
        clients: number of them under the setting, None if unknown.

    Raises:
        UserError: naming setting, task and remedy.
    """
    too_few = samples is not None and clients is not None and samples < 2 * clients
    if too_few and _normalises(setting, block):
        raise UserError(
            f"config: the setting '{setting.name}' on {task} deals {samples} samples to {clients} "
            "clients, some of which have one, of which batch normalisation makes nothing; give "
            "fewer clients, or training.batch_norm: frozen"
        )
    for fault in record(setting.method).size_faults(setting, block, samples, clients):
        raise UserError(f"config: the setting '{setting.name}' on {task} {fault}")


def require_packages(protections: Sequence[str]) -> None:
    """Refuse protections whose package is not installed, where jobs run in this environment.

    Args:
        protections: those that the settings ask for.

    Raises:
        UserError: naming package and remedy.
    """
    for protection in protections:
        name = PACKAGES.get(protection)
        if name is not None and find_spec(name) is None:
            raise UserError(
                f"config: protection: {protection} needs the package {name}, which is not "
                "installed; install envs/encryption.txt, or use protection: plain"
            )


def _normalises(setting: Setting, block: Mapping[str, Any]) -> bool:
    """Tell whether clients train a network that normalises by the batch."""
    if setting.network is None or not record(setting.method).trains_network:
        return False
    training = block["training"] | block["methods"].get(setting.method, {})
    return (
        block["networks"][setting.network]["norm"] == "batch"
        and training.get("batch_norm") == "batch"
    )
