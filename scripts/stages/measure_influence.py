"""Measure how much each step's noise weighs in the end (paper thesis, Fig. 2.1, left).

At one step of an even schedule the noise doubles, and heads are trained anew from the same initial
values and the same draws. What that adds to their training loss, over what it adds to the step's
variance, is the step's influence.
"""

from typing import Any

import numpy as np
import pandas as pd
from fbftl.data.participation import participants_of
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.methods.private_gd.run import LOUDER, noise_of, private_heads
from fbftl.study.job import from_params
from fbftl.training.tasks.task import Inputs, client_features

STEPS = 10
"""Steps whose noise is changed, each alone; all would need as many trainings."""

SEEDS = 100
"""Pairs of trainings for each of them."""


def main(
    files: dict[str, str], csv: str, job: dict[str, Any], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write a row per changed step: its noise, its influence, and the error of that mean.

    Args:
        files: feature stores of clients and public.
        csv: table to write.
        job: the one whose even noise is changed.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    planned = from_params(job | {"seeds": range(SEEDS)}, axes)
    client_data, even = client_features(planned, inputs), noise_of(planned).multipliers
    changed = np.unique(np.linspace(1, len(even), STEPS).round().astype(int))
    schedules = np.repeat(even[:, None], 1 + len(changed), axis=1)
    schedules[changed - 1, np.arange(1, 1 + len(changed))] *= LOUDER
    rows = [participants_of(planned, client_data.partition, seed).offered for seed in planned.seeds]
    arms = schedules.shape[1]
    heads = private_heads(
        client_data, planned, planned.seeds * arms, rows * arms, np.repeat(schedules, SEEDS, axis=1)
    )
    before, *after = heads.losses[-1].reshape(arms, SEEDS)
    added = even[changed - 1] ** 2 * (LOUDER**2 - 1)
    influence = (np.stack(after) - before) / added[:, None]
    columns = {
        "step": changed,
        "steps": len(even),
        "sigma": even[changed - 1],
        "influence": influence.mean(axis=1),
        "error": influence.std(axis=1, ddof=1) / SEEDS**0.5,
        "seeds": SEEDS,
    }
    write_tidy(csv, pd.DataFrame(columns))
