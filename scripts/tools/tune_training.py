"""Choose what a fair comparison leaves open: learning rates.

    PYTHONPATH=scripts python scripts/tools/tune_training.py SYSTEM TASK [--settings NAME ...]

Prints the accuracy of each setting of a full study's task at each learning rate, on samples of
clients that are held out, under seeds 0, 1, ... that no full study has. No test sample is looked
at. Clients, source and features must exist, which this makes:

    snakemake --cores 2 --config size=full system=SYSTEM -- features
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from fbftl.ground import devices
from fbftl.ground.errors import UserError, ending_with_sentence
from fbftl.methods import by_name
from fbftl.plan import paths
from fbftl.plan.opened import Prepared
from fbftl.study.config import Study
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

SHARE = 0.2
"""Of the clients' samples, held out."""

FILES = ("manifest", "clients", "weights", "source")
"""What a method reads whose clients train a network."""


def trials(
    job: Job, rates: Sequence[float], inputs: Inputs, share: float = SHARE
) -> Iterator[np.ndarray]:
    """Train a job at each rate; yield the accuracies (S,) on held-out samples, 0 if diverged.

    Args:
        job: a setting whose clients train a network.
        rates: ascending.
        inputs: its input files.
        share: of the clients' samples, held out.
    """
    for rate in rates:
        training = replace(job.network_training, learning_rate=rate)
        training = replace(training, validation=share, selection="last")
        (outcome,) = by_name.trained([replace(job, training=training)], inputs)
        yield np.array(
            [0.0 if r["diverged"] else r["validation_accuracy"] for r in outcome.repetitions]
        )


def best_of(rates: Sequence[float], means: Sequence[float]) -> str:
    """Return the best rate in words; one at an end of the grid is no optimum."""
    best = rates[int(np.argmax(means))]
    inside = best not in (rates[0], rates[-1])
    return f"best {best:g}" + ("" if inside else ", at an end of the grid: try beyond it")


def jobs_of(
    study: Study, system: str, task: str, names: Sequence[str], seeds: int
) -> dict[str, Job]:
    """Return the jobs of some settings of a task by name, all if none is named, at other seeds.

    Raises:
        UserError: if the full study of the system has no such task or setting.
    """
    planned = {name for settings in study.settings.get(task, {}).values() for name in settings}
    if unknown := [name for name in names if name not in planned] or (not planned and [task]):
        raise UserError(
            f"the full study of {system} has no {unknown[0]}; name a task of it and settings there"
        )
    params = {name: study.job(task, name) for name in names or sorted(planned)}
    axes = axes_by_method()
    return {name: from_params(p | {"seeds": [*range(seeds)]}, axes) for name, p in params.items()}


def print_rates(given: argparse.Namespace, root: Path = Path()) -> None:
    """Print what every rate comes to, and the best of each setting.

    Raises:
        UserError: if there is no such task or setting, or its files are not made yet.
    """
    prepared = Prepared.of_files(root, more={"size": "full", "system": given.system})
    study = prepared.call.study
    jobs = jobs_of(study, given.system, given.task, given.settings, given.seeds)
    located = prepared.located(paths.inputs(given.task, FILES))
    inputs = Inputs.at(located, devices.prepare("cpu", 1))
    rates = sorted(given.rates)
    for name, job in jobs.items():
        means = []
        for rate, scores in zip(rates, trials(job, rates, inputs), strict=True):
            means.append(scores.mean())
            error = scores.std(ddof=1) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
            print(f"{name}  {rate:g}: {means[-1]:.2%} ({error:.2%})", flush=True)
        print(f"{name}  {best_of(rates, means)}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Print rates of settings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("system")
    parser.add_argument("task")
    parser.add_argument("--settings", nargs="+", default=[])
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--seeds", type=int, default=3)
    print_rates(parser.parse_args(arguments))


if __name__ == "__main__":
    with ending_with_sentence():
        main(sys.argv[1:])
