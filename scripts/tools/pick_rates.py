"""Print the learning rate at which each setting of a task is most accurate on rows held out.

A comparison of methods that train at one rate compares how well the rate suits them. For a full
study that gives each method its own, rates are tried under the pilot's seeds on the task's own
clients: a part of their samples trains nothing and is what counts. No test sample is looked at.
Clients, source and features have to be there, which the pilot makes:

    snakemake --cores 2 --config size=pilot system=dpsgd -- results/digits-dpsgd-pilot/features.json
    PYTHONPATH=scripts python scripts/tools/pick_rates.py dpsgd digits-dpsgd-pilot
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from fbftl.ground import devices
from fbftl.ground.errors import UserError
from fbftl.methods import by_name
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.resolved import study_of
from fbftl.tasks.task import Inputs

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

SHARE = 0.2
"""Of the clients' samples, held out."""

FILES = {
    "manifest": "features.json",
    "features": "features.zarr",
    "clients": "clients.h5",
    "weights": "source.safetensors",
    "source": "source.json",
}
"""What a method reads whose clients train a network, below a task's results."""


@dataclass(frozen=True)
class AtRate:
    """A learning rate and what it came to.

    rate: of the first round or step.
    accuracies: (S,) on held-out samples after the last one, by seed; 0 where it diverged.
    """

    rate: float
    accuracies: np.ndarray

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return float(self.accuracies.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 of one seed."""
        count = len(self.accuracies)
        return float(self.accuracies.std(ddof=1) / count**0.5) if count > 1 else 0.0


def at_rate(job: Job, rate: float, share: float) -> Job:
    """Return a job at another learning rate that holds out a share of the clients' samples."""
    training = replace(job.network_training, learning_rate=rate, validation=share, selection="last")
    return replace(job, training=training)


def trials(
    job: Job, rates: Sequence[float], inputs: Inputs, share: float = SHARE
) -> Iterator[AtRate]:
    """Train a job at each rate; yield what it came to.

    Args:
        job: a setting whose clients train a network.
        rates: ascending.
        inputs: its input files.
        share: of the clients' samples, held out.
    """
    for rate in rates:
        (outcome,) = by_name.trained([at_rate(job, rate, share)], inputs)
        accuracies = [
            0.0 if repetition["diverged"] else repetition["validation_accuracy"]
            for repetition in outcome.repetitions
        ]
        yield AtRate(rate, np.array(accuracies))


def best_of(tried: Sequence[AtRate]) -> str:
    """Return the best rate in words; one at an end of what was tried is no optimum."""
    best = max(tried, key=lambda each: each.mean)
    inside = best.rate not in (tried[0].rate, tried[-1].rate)
    return f"best {best.rate:g}" + ("" if inside else ", at an end of the grid: try beyond it")


def jobs_of(system: str, task: str, names: Sequence[str], seeds: int, root: Path) -> dict[str, Job]:
    """Return the jobs of some settings of a task by name, all if none is named.

    Raises:
        UserError: if the pilot of the system has no such task or setting.
    """
    study = study_of(root, more={"size": "pilot", "system": system})
    planned = {name for settings in study.settings.get(task, {}).values() for name in settings}
    if unknown := [name for name in names if name not in planned] or (not planned and [task]):
        raise UserError(
            f"the pilot of {system} has no {unknown[0]}; name a task of it and settings there"
        )
    jobs = {name: study.job(task, name) for name in names or sorted(planned)}
    axes = axes_by_method()
    return {
        name: from_params(params | {"seeds": params["seeds"][:seeds]}, axes)
        for name, params in jobs.items()
    }


def main(arguments: Sequence[str], root: Path = Path()) -> None:
    """Print what every rate comes to, and the best of each setting.

    Raises:
        UserError: if there is no such task or setting, or its files are not made yet.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("system")
    parser.add_argument("task")
    parser.add_argument("--settings", nargs="+", default=[])
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(arguments)
    jobs = jobs_of(given.system, given.task, given.settings, given.seeds, root)
    files = {name: root / "results" / given.task / file for name, file in FILES.items()}
    if absent := [path for path in files.values() if not path.exists()]:
        raise UserError(f"{absent[0]} is not there; make it as this tool's first lines say")
    inputs = Inputs.at({k: str(path) for k, path in files.items()}, devices.prepare("cpu", 1))
    for name, job in jobs.items():
        tried = []
        for each in trials(job, sorted(given.rates), inputs):
            tried.append(each)
            print(f"{name}  {each.rate:g}: {each.mean:.2%} ({each.error:.2%})", flush=True)
        print(f"{name}  {best_of(tried)}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
