"""Print the steps and the decay of noisy descent that are best on Gaussian points.

Nothing private is looked at: for as many rows as a study has, points are drawn whose two classes
are two normal clouds, and heads are trained on them under every number of steps and every schedule
(paper thesis, Sec. 2.5, picks both on an auxiliary Gaussian set of the same size and does not say
how its points are labelled). The least mean training loss wins, for each schedule by itself.

    PYTHONPATH=scripts python scripts/tools/pick_schedules.py --rows 200 --epsilon 4
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from fbftl.ground.randomness import stream
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend
from fbftl.models.heads import stacked
from fbftl.privacy.accounting import schedule_budget
from fbftl.privacy.schedules import named

APART = 3.0
"""Distance of the two clouds' centres, in standard deviations: 6.7 % of points are nearer to the
other one."""

STEPS = (50, 75, 100, 125, 150)
"""T, over the range that the thesis scans."""

DECAYS = (3.0, 10.0, 30.0)
"""First over last variance of falling noise, as in the quick study."""

RATE, CLIP, DELTA = 0.1, 4.0, 1e-8
"""Learning rate, clip norm and delta of the thesis."""


@dataclass(frozen=True)
class Scene:
    """What is the same for all schedules.

    rows: N.
    columns: numbers of a row.
    hidden: hidden units of a head.
    scale: norm of the longest row.
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
        return OwnSamples(
            torch.from_numpy(np.concatenate(values)), torch.from_numpy(np.concatenate(labels)), rows
        )

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
        seeds = range(self.seeds)
        done = descend(
            lambda some: stacked([self.columns, self.hidden, 1], some, torch.device("cpu")),
            samples,
            seeds,
            Descent(np.repeat(noise[:, None], self.seeds, axis=1), CLIP, RATE, self.momentum),
        )
        return float(done.losses[-1].mean())


def candidates(
    schedules: Sequence[str], steps: Sequence[int], decays: Sequence[float]
) -> Iterator[tuple[str, int, float]]:
    """Yield what is compared: schedule, steps, decay (1 where nothing decays)."""
    for schedule in schedules:
        for number in steps:
            for decay in [1.0] if schedule == "uniform" else decays:
                yield schedule, number, decay


def main() -> None:
    """Read the arguments and print every candidate's loss, the best of each schedule last."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 200, 300])
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--scale", type=float, nargs="+", default=[10.0])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[4.0])
    parser.add_argument("--momentum", type=float, nargs="+", default=[0.0])
    parser.add_argument("--schedules", nargs="+", default=["uniform", "exp"])
    parser.add_argument("--steps", type=int, nargs="+", default=STEPS)
    parser.add_argument("--decays", type=float, nargs="+", default=DECAYS)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    torch.set_num_threads(1)
    scenes = [
        Scene(rows, given.columns, given.hidden, scale, epsilon, momentum, given.seeds)
        for rows in given.rows
        for scale in given.scale
        for epsilon in given.epsilon
        for momentum in given.momentum
    ]
    for scene in scenes:
        samples = scene.points()
        losses = {
            candidate: scene.loss(samples, *candidate)
            for candidate in candidates(given.schedules, given.steps, given.decays)
        }
        print(scene)
        for (schedule, steps, decay), loss in losses.items():
            print(f"  {schedule:8} T {steps:3} a {decay:4g}  {loss:.4f}")
        for schedule in given.schedules:
            best = min((c for c in losses if c[0] == schedule), key=lambda c: losses[c])
            print(f"  best {schedule}: T {best[1]}, a {best[2]:g} ({losses[best]:.4f})")


if __name__ == "__main__":
    main()
