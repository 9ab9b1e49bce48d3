"""Choose what a fair comparison leaves open: learning rates, and schedules of private descent.

    PYTHONPATH=scripts python scripts/tools/tune_training.py rates SYSTEM TASK [--settings NAME ...]
    PYTHONPATH=scripts python scripts/tools/tune_training.py schedules --rows 200 --epsilon 4

`rates` prints the accuracy of each setting of a full study's task at each learning rate, on samples
of clients that are held out, under seeds 0, 1, ... that no full study has. No test sample is looked
at. Clients, source and features must exist, which this makes:

    snakemake --cores 2 --config size=full system=SYSTEM -- features

`schedules` prints the training loss of heads under every number of noisy steps and every schedule,
on points of two normal clouds, so that nothing private is looked at. (Paper thesis, Sec. 2.5, picks
both on an auxiliary Gaussian set of the same size and does not say how its points are labelled.)
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from fbftl.ground import devices
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.methods import by_name
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend
from fbftl.models.heads import stacked
from fbftl.plan.opened import Prepared
from fbftl.plan.trained import files
from fbftl.privacy.accounting import schedule_budget
from fbftl.privacy.schedules import named
from fbftl.study.config import Study
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.tasks.task import Inputs

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

SHARE = 0.2
"""Of the clients' samples, held out."""

FILES = ("manifest", "clients", "weights", "source")
"""What a method reads whose clients train a network."""

APART = 3.0
"""Distance of the clouds' centres in standard deviations: 6.7 % of points are nearer the other."""

RATE, CLIP, DELTA = 0.1, 4.0, 1e-8
"""Learning rate, clip norm and delta of the thesis."""


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
    located = prepared.located(files(study, given.task, FILES))
    inputs = Inputs.at(located, devices.prepare("cpu", 1))
    rates = sorted(given.rates)
    for name, job in jobs.items():
        means = []
        for rate, scores in zip(rates, trials(job, rates, inputs), strict=True):
            means.append(scores.mean())
            error = scores.std(ddof=1) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
            print(f"{name}  {rate:g}: {means[-1]:.2%} ({error:.2%})", flush=True)
        print(f"{name}  {best_of(rates, means)}", flush=True)


@dataclass(frozen=True)
class Clouds:
    """Points of two classes, and the budget under which heads learn to tell them apart.

    rows, columns: points and numbers of a point.
    hidden: hidden units of a head.
    scale: norm of the longest point.
    epsilon: of the budget, by zCDP.
    momentum: beta.
    seeds: heads, each with points of its own.
    """

    rows: int
    columns: int
    hidden: int
    scale: float
    epsilon: float
    momentum: float
    seeds: int

    def points(self) -> OwnSamples:
        """Return centred points of unit spread with their labels, for all seeds."""
        values, labels = zip(*map(self._cloud, range(self.seeds)), strict=True)
        rows = np.arange(self.seeds * self.rows).reshape(self.seeds, self.rows)
        values, labels = (torch.from_numpy(np.concatenate(each)) for each in (values, labels))
        return OwnSamples(values, labels, rows)

    def _cloud(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        draws = stream(seed, "auxiliary points")
        direction = draws.standard_normal(self.columns)
        labels = np.arange(self.rows) % 2
        values = draws.standard_normal((self.rows, self.columns))
        values += APART / 2 * (2 * labels - 1)[:, None] * direction / np.linalg.norm(direction)
        values = (values - values.mean(0)) / values.std(0)
        longest = np.linalg.norm(values, axis=1).max()
        return (values * self.scale / longest).astype(np.float32), labels

    def loss(self, samples: OwnSamples, schedule: str, steps: int, decay: float) -> float:
        """Return the mean training loss that a schedule ends with."""
        budget = schedule_budget(self.epsilon, DELTA, "zcdp", "add-remove")
        noise = named(schedule, budget, steps, decay, self.momentum)
        each_seed = np.repeat(noise[:, None], self.seeds, axis=1)
        done = descend(
            lambda some: stacked([self.columns, self.hidden, 1], some, torch.device("cpu")),
            samples,
            range(self.seeds),
            Descent(each_seed, CLIP, RATE, self.momentum),
        )
        return float(done.losses[-1].mean())


def print_schedules(given: argparse.Namespace) -> None:
    """Print the loss of every schedule, number of steps and decay, and the best of each."""
    torch.set_num_threads(1)
    clouds = Clouds(
        *(given.rows, given.columns, given.hidden, given.scale, given.epsilon),
        *(given.momentum, given.seeds),
    )
    points = clouds.points()
    for schedule in given.schedules:
        # Even noise does not decay.
        decays = [1.0] if schedule == "uniform" else given.decays
        losses = {
            (steps, decay): clouds.loss(points, schedule, steps, decay)
            for steps in given.steps
            for decay in decays
        }
        for (steps, decay), loss in losses.items():
            print(f"{schedule:8} T {steps:3} a {decay:4g}  {loss:.4f}")
        steps, decay = min(losses, key=losses.__getitem__)
        print(f"best {schedule}: T {steps}, a {decay:g} ({losses[steps, decay]:.4f})")


def main(arguments: Sequence[str]) -> None:
    """Print rates or schedules, as the first argument says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    what = parser.add_subparsers(required=True)
    rates = what.add_parser("rates")
    rates.set_defaults(show=print_rates)
    rates.add_argument("system")
    rates.add_argument("task")
    rates.add_argument("--settings", nargs="+", default=[])
    rates.add_argument("--rates", type=float, nargs="+", default=RATES)
    rates.add_argument("--seeds", type=int, default=3)
    schedules = what.add_parser("schedules")
    schedules.set_defaults(show=print_schedules)
    for name, default in {"rows": 200, "columns": 64, "hidden": 64, "seeds": 20}.items():
        schedules.add_argument(f"--{name}", type=int, default=default)
    for name, value in {"scale": 10.0, "epsilon": 4.0, "momentum": 0.0}.items():
        schedules.add_argument(f"--{name}", type=float, default=value)
    schedules.add_argument("--schedules", nargs="+", default=["uniform", "exp"])
    schedules.add_argument("--steps", type=int, nargs="+", default=[50, 75, 100, 125, 150])
    schedules.add_argument("--decays", type=float, nargs="+", default=[3.0, 10.0, 30.0])
    given = parser.parse_args(arguments)
    given.show(given)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
