"""Pick how long FedMD's clients learn, and Secure FTL's weight, dimensions and rounds.

By the rule of `fbftl.training.choice`, which fixes head and epochs too: the fewest passes or rounds
after which validation accuracy has been flat over the last quarter; the fewest dimensions, and then
the smallest weight gamma, within one standard error of the best. A fifth of the clients' samples is
held out for it, and of the open ones. No test sample, no other framework and no claim is looked at.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fbftl.exchange.consensus import own_passes
from fbftl.exchange.kept import Company, gathered
from fbftl.exchange.two_parties import run_pair
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.logs import log, run_job
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import HeldSamples, Inputs, held_samples
from fbftl.tasks.validated import apart, validated
from fbftl.training.choice import Candidate, flat_epochs, smallest_within_error
from fbftl.training.kept import KeptModels

PASSES = 60
"""Over the open samples, longer than will be needed; over own ones as many steps."""

ROUNDS = 200
"""Of Secure FTL, longer than will be needed."""

GAMMAS = (0.0, 0.01, 0.1, 1.0)
DIMENSIONS = (2, 4, 8, 16, 32)
"""As many as Paillier may encrypt at most."""

COLUMNS = [
    Column("method", "Method"),
    Column("candidate", "Candidate"),
    Column("length", "Passes or rounds until flat", format="{:.0f}"),
    Column("validation", "Validation accuracy", format="{:.2%}"),
    Column("error", "standard error", format="{:.2%}"),
    Column("seeds", "Seeds"),
    Column("picked", "Picked"),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    seeds: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the rule finds; md, tex and html go beside the csv.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv.
        jobs: the clean settings of FedMD and of Secure FTL.
        axes: the axes that each method knows, with their defaults.
        seeds: seeds of the rule.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    paths = {name: Path(path) for name, path in files.items()}
    inputs = Inputs(device=devices.prepare(device, threads), **paths)
    rows = []
    for params in jobs:
        params = params | {"seeds": list(range(seeds))}
        held = held_samples(from_params(params, axes), inputs)
        find = {"fedmd": lengths, "secure_ftl": pairs}[params["setting"]["method"]]
        rows += find(params, axes, held)
    write_table(csv, pd.DataFrame(rows), COLUMNS)
    for row in rows:
        if row["picked"]:
            log.info("%s: %s, %d", row["method"], row["candidate"], row["length"])


# --- FedMD ------------------------------------------------------------------------------------


def lengths(
    params: dict[str, Any], axes: dict[str, Any], held: HeldSamples
) -> list[dict[str, Any]]:
    """Return a row for the passes over open samples, and one for as many steps on own ones.

    The longer of the two is picked, for both: the paper trains both to convergence.
    """
    job = from_params(params, axes)
    companies = [gathered(job, validated(held, s), s, Ledger(method="fedmd")) for s in job.seeds]
    public = held.open_samples(job.setting.public_data)
    opened = [list(learning_open(company, public)) for company in companies]
    first = flat_epochs(np.array([[accuracy for accuracy, _ in one] for one in opened]))
    own = []
    for company, one in zip(companies, opened, strict=True):
        company.models = one[first - 1][1]
        own.append(list(learning_own(company, len(public.labels))))
    curves = {
        "passes over open samples": np.array([[a for a, _ in one] for one in opened]),
        "as many steps on own samples": np.array(own),
    }
    found = {name: flat_epochs(curve) for name, curve in curves.items()}
    longest = max(found, key=found.__getitem__)
    return [
        row("fedmd", name, length, curves[name][:, length - 1], name == longest)
        for name, length in found.items()
    ]


def learning_open(company: Company, public: Any) -> Iterator[tuple[float, KeptModels]]:
    """Yield the clients' mean accuracy on open samples held out, and their models, by pass."""
    training, validation = apart(len(public.labels), company.post.seed)
    clients = len(company.owners)
    tests = [public.at(validation)] * clients
    for turn in range(1, PASSES + 1):
        company.models.train(public, [training] * clients, turn, epochs=1)
        yield float(np.mean(company.models.accuracies(tests))), company.models.copy()


def learning_own(company: Company, open_samples: int) -> Iterator[float]:
    """Yield the clients' mean accuracy on own samples held out, by the steps of an open pass."""
    done = 0
    for turn in range(1, PASSES + 1):
        until = own_passes(company, open_samples, turn)
        company.models.train(company.held.samples, company.rows, PASSES + turn, epochs=until - done)
        done = until
        yield float(np.mean(company.models.accuracies(company.tests)))


# --- Secure FTL -------------------------------------------------------------------------------


def pairs(params: dict[str, Any], axes: dict[str, Any], held: HeldSamples) -> list[dict[str, Any]]:
    """Return a row for each weight gamma and number of dimensions."""
    candidates = {}
    for dimensions in DIMENSIONS:
        for gamma in GAMMAS:
            asked = params["setting"] | {"alignment": gamma, "dimensions": dimensions}
            training = params["training"] | {"rounds": ROUNDS}
            job = from_params(params | {"setting": asked, "training": training}, axes)
            name = f"gamma {gamma:g}, {dimensions} dimensions"
            candidates[name] = Candidate((dimensions,), dimensions, by_round(job, held))
    chosen = smallest_within_error(list(candidates.values()))
    return [
        row("secure_ftl", name, own.epochs, own.validation[:, own.epochs - 1], own is chosen)
        for name, own in candidates.items()
    ]


def by_round(job: Job, held: HeldSamples) -> np.ndarray:
    """Return validation accuracy (S, T) by seed and round."""
    runs = (run_pair(replace(job, seeds=(seed,)), validated(held, seed)) for seed in job.seeds)
    return np.array([run.repetitions[0]["curves"]["test_accuracy"] for run in runs])


def row(
    method: str, candidate: str, length: int, accuracy: np.ndarray, picked: bool
) -> dict[str, Any]:
    """Return a row, given validation accuracy (S,) by seed at its length."""
    return {
        "method": method,
        "candidate": candidate,
        "length": length,
        "validation": accuracy.mean(),
        "error": accuracy.std(ddof=1) / np.sqrt(len(accuracy)),
        "seeds": len(accuracy),
        "picked": "yes" if picked else "",
    }


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            dict(job.input.items()),
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
            job.params.seeds,
            job.config["device"],
            job.threads,
        ),
    )
