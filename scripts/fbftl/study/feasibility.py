"""Settings that a task of known size cannot run, and memories that fit nowhere.

Decided before any job, from what the configuration and the count of samples say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError, required
from fbftl.study.axes import is_compressed
from fbftl.study.bounds import LARGEST_MEMORY, memory_bytes
from fbftl.study.clients import Dealing
from fbftl.study.config import Study
from fbftl.study.dealing_faults import Dealt, too_few_faults
from fbftl.study.methods import record
from fbftl.study.settings import Setting


@dataclass(frozen=True)
class Sizes:
    """Classes, features and parameters that clients train, where they are known before any job.

    heads: parameters of the head, by the cut before it, as text.
    networks: parameters of a network that the task names, by name; under None of all that is
        trained without one: source and head, or all of a T5.
    classes: that there are, None of a task without classes.
    widths: numbers of a feature, by cut.
    """

    heads: Mapping[str, int] = field(default_factory=dict)
    networks: Mapping[str | None, int] = field(default_factory=dict)
    classes: int | None = None
    widths: Mapping[str, int] = field(default_factory=dict)


NOTHING_KNOWN = Sizes()


def require_feasible(
    study: Study,
    task: str,
    samples: int | None,
    named: int | None = None,
    sizes: Sizes = NOTHING_KNOWN,
    public: int | None = None,
) -> None:
    """Refuse what is larger than the data or the public rows, and memories that fit nowhere.

    Args:
        study: the checked configuration.
        task: name of the task.
        samples: training samples of the task; None if unknown, and the jobs will find out.
        named: clients that the task's data names, for those that it deals itself.
        sizes: of the task's networks, as far as they are known.
        public: public rows of the task; None if unknown.

    Raises:
        UserError: naming key, value and what is possible.
    """
    _require_scratch(study)
    block = study.task(task)
    for fault in too_few_faults(Dealing.of(block["clients"]), samples, sizes.classes):
        raise UserError(f"config: tasks.{task}.clients {fault}")
    for name, setting in study.settings_of(task).items():
        dealing = Dealing.of(block["clients"], setting)
        clients = dealing.clients(samples, named)
        width = sizes.widths.get(str(setting.cut or block["features"]["cut"]))
        dealt = Dealt(dealing, samples, clients, public, sizes.classes, width)
        for fault in _faults(study, task, setting, dealt, sizes):
            raise UserError(f"config: the setting '{name}' on {task} {fault}")


def _faults(study: Study, task: str, setting: Setting, dealt: Dealt, sizes: Sizes) -> Iterator[str]:
    """Yield what no job of a setting could do, each with what is possible."""
    block, of_method = study.task(task), record(setting.method)
    samples, clients = dealt.samples, dealt.clients
    if dealt.dealing.overrides:
        yield from too_few_faults(dealt.dealing, samples, sizes.classes)
    elif of_method.by_rounds and clients is not None:
        # Of clients that a setting has dealt anew, rounds are of all where they are few; a round
        # of dialogues is a batch of them.
        per_round = study.job_of(task, setting)["training"].get("clients_per_round", 1)
        if per_round > clients:
            yield (
                f"has clients_per_round {per_round}, but there are {clients} clients; give at most "
                f"{clients}"
            )
    yield from of_method.size_faults(setting, block, dealt)
    remembers = "feedback" in of_method.by_name and setting.feedback and is_compressed(setting)
    parameters = _parameters(block, setting, sizes)
    if study.config["scratch_folder"] is None and remembers and None not in (clients, parameters):
        # Only clients that take part remember anything.
        taking = ceil(required(clients) * setting.fraction)
        needed = memory_bytes(taking, required(parameters))
        if needed > LARGEST_MEMORY:
            yield (
                f"has {taking:,} clients remember {needed / 1e9:.0f} GB together for error "
                "feedback; name a folder with that much room as scratch_folder, or set feedback: "
                "[false] in the experiment"
            )


def _require_scratch(study: Study) -> None:
    """Refuse a bound on memory without a folder for what exceeds it, or a folder that is none."""
    scratch = study.config["scratch_folder"]
    if study.config["memory"] is not None and scratch is None:
        raise UserError(
            "config: memory is set, but scratch_folder is null; name a folder for the arrays "
            "that exceed memory, or leave memory out"
        )
    if scratch is not None and not Path(scratch).is_dir():
        raise UserError(f"config: scratch_folder is '{scratch}', which is no folder; make it first")


def _parameters(block: Mapping[str, Any], setting: Setting, sizes: Sizes) -> int | None:
    """Return the parameters that a setting's clients train; None if unknown."""
    if record(setting.method).reads == "features":
        return sizes.heads.get(str(setting.cut or block["features"]["cut"]))
    return sizes.networks.get(setting.network)


def parameters_between(widths: Sequence[int]) -> int:
    """Return the parameters of the dense layers between some widths, biases included."""
    return sum((before + 1) * after for before, after in pairwise(widths))
