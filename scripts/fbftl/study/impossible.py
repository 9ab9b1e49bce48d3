"""Settings that a task of known size cannot run, refused before any job."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.clients import dealing, taking_part
from fbftl.study.methods import record
from fbftl.study.settings import Setting

LEARNING_FROM_OTHERS = ("fd", "fedmd")
"""Methods whose clients keep models of their own and learn from those of the others."""

PACKAGES = {"paillier": "phe", "ckks": "tenseal"}
"""Package that each protection needs beside the plain requirements."""

LEAST_COMPARED = 4
"""Samples by which the unbiased similarity compares models, as `training.similarity` has it."""


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
    faults: dict[str, bool] = {
        "buys rows of the clients' own domains, and the public sources have none; leave choice: "
        "ideal out": _nothing_ideal(setting, block),
    }
    if clients is not None:
        part = taking_part(clients, setting.fraction)
        faults |= {
            f"has one client take part, which has nobody to learn from; give {setting.method} "
            "clients at least 2, or a larger fraction": (
                setting.method in LEARNING_FROM_OTHERS and part < 2
            ),
        }
    if clients is not None and samples is not None:
        part = taking_part(clients, setting.fraction)
        theirs = min(samples, part * -(-samples // clients))
        equal = dealing(block["clients"], setting)["partition"] == "iid"
        drawn = setting.drawn or 0
        faults |= {
            f"has clients draw {drawn} samples of the {theirs} of those that take part; give drawn "
            f"at most {theirs}": equal and theirs < drawn <= samples,
            f"deals {samples} samples to {clients} clients, some of which have one, of which batch "
            "normalisation makes nothing; give fewer clients, or training.batch_norm: frozen": (
                samples < 2 * clients and _normalises(setting, block)
            ),
        }
    if samples is not None:
        drawn, most = setting.drawn or 0, setting.most_samples
        common = min(samples, most or samples)
        faults |= {
            f"has clients draw {drawn} samples in a round of {samples}; give drawn at most "
            f"{samples}": drawn > samples,
            f"has {setting.majority_users} users of a group among {samples} samples; give "
            f"majority_users at most {samples}": (setting.majority_users or 0) > samples,
            f"is to have {setting.common_samples} common samples of {common}; give "
            f"common_samples at most {common}": (
                setting.method == "secure_ftl" and setting.common_samples > common
            ),
            f"has clients compare models by {most} samples, and the unbiased similarity needs "
            f"{LEAST_COMPARED}; give most_samples at least {LEAST_COMPARED}, or similarity: "
            "biased": (
                setting.sources is not None
                and setting.similarity == "unbiased"
                and most is not None
                and most < LEAST_COMPARED
            ),
        }
    for fault, holds in faults.items():
        if holds:
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


def _nothing_ideal(setting: Setting, block: Mapping[str, Any]) -> bool:
    """Tell whether a setting buys rows of domains that no public source has."""
    if setting.choice != "ideal" or not setting.purchase:
        return False
    sold = {one for source in block["public"]["sources"] for one in _domains(source["domains"])}
    return not sold & _domains(block["clients"].get("domains"))


def _domains(spec: Sequence[str | Sequence[str]] | None) -> set[tuple[str, ...]]:
    """Return the domains that a block lists, the plain one without any."""
    return {(one,) if isinstance(one, str) else tuple(one) for one in spec or ["plain"]}
