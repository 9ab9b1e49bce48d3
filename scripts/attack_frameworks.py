"""Attack what the frameworks' clients send beside weights: scores, counts by label, raw samples."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from fbftl.attacks.findings import summary
from fbftl.attacks.label_recovery import blind_counts
from fbftl.attacks.membership import losses, separation
from fbftl.exchange import consensus, distillation
from fbftl.exchange.kept import Company, gathered
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import HeldSamples, Inputs, held_samples
from fbftl.training.augmentation import fitted, seeds_of

COLUMNS = [
    Column("method", "Method"),
    Column("setting", "Setting"),
    Column("attack", "Attack"),
    Column("adversary", "Adversary"),
    Column("measure", "Measure"),
    Column("value", "Attained", format="{:.3f}"),
    Column("spread", "±", format="{:.3f}"),
    Column("blind", "Blind guess", format="{:.3f}"),
    Column("repetitions", "Clients"),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write what adversaries find; md, tex and html go beside the csv.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv.
        jobs: the settings whose messages are attacked; their first seed is.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    paths = {name: Path(path) for name, path in files.items()}
    inputs = Inputs(device=devices.prepare(device, threads), **paths)
    rows = []
    for params in jobs:
        job = from_params(params, axes)
        deviations = [f"{k} {v}" for k, v in params["setting"].items() if k != "method"]
        named = {"method": job.setting.method, "setting": ", ".join(deviations)}
        rows += [named | found for found in attacked(job, held_samples(job, inputs))]
    write_table(csv, pd.DataFrame(rows), COLUMNS)


def attacked(job: Job, held: HeldSamples) -> Iterator[dict[str, Any]]:
    """Yield what adversaries find in one setting's messages."""
    company = gathered(job, held, job.seeds[0], Ledger(method=job.setting.method))
    if job.setting.method == "fedmd":
        consensus.agreed(company, held.open_samples(job.setting.public_data))
        yield membership(company)
    elif job.setting.seed_samples:
        yield generator_means(company, job.setting.seed_samples)
    else:
        distillation.play(company)
        yield label_counts(company)


def membership(company: Company) -> dict[str, Any]:
    """Return how well a client's scores of samples that the server plants tell its own ones.

    The server knows their labels and puts them among the open samples: the client's own have the
    smaller loss (Yeom et al. 2018).
    """
    test = company.held.test.at(np.arange(len(company.held.test.labels)))
    found = []
    for client, rows in enumerate(company.rows):
        own = company.held.samples.at(rows)
        inside, outside = (
            -losses(company.models.logits(client, side.inputs).cpu(), side.labels.cpu())
            for side in (own, test)
        )
        found.append(separation(inside, outside).auc)
    who = "server that chooses the open samples"
    return _row("membership", who, "AUC", found, 0.5)


def label_counts(company: Company) -> dict[str, Any]:
    """Return the share of a client's samples whose label the counts beside its logits tell."""
    _, counts = distillation.label_means(
        company.models, company.held.samples, company.rows, company.held.classes
    )
    true = [_counts(company, rows) for rows in company.rows]
    told = _agreeing(true, counts.cpu().numpy().astype(int))
    blind = _agreeing(true, [blind_counts(len(own), int(own.sum())) for own in true])
    return _row("label recovery", "server", "share of labels right", told, float(np.mean(blind)))


def _counts(company: Company, rows: np.ndarray) -> np.ndarray:
    labels = company.held.samples.labels.cpu().numpy()[rows]
    return np.bincount(labels, minlength=company.held.classes)


def _agreeing(true: Sequence[np.ndarray], guessed: Sequence[np.ndarray]) -> list[float]:
    pairs = zip(true, guessed, strict=True)
    return [float(np.minimum(own, other).sum() / own.sum()) for own, other in pairs]


def generator_means(company: Company, seeds: int) -> dict[str, Any]:
    """Return how far the generator's mean of its label is from a seed; blind by the test mean.

    The server has the seeds as they are; this is what every other client gets of them.
    """
    labels = company.held.samples.labels.cpu().numpy()
    mean = company.held.test.at(np.arange(len(company.held.test.labels))).inputs.mean(0)
    chosen = [
        seeds_of(rows, labels, seeds, company.post.seed, client)
        for client, rows in enumerate(company.rows)
    ]
    generator = fitted(company.held.samples.at(np.concatenate(chosen)), company.held.classes)
    error, blind = [], []
    for rows in chosen:
        own = company.held.samples.at(rows)
        guessed = generator.centre + generator.means[own.labels] @ generator.basis
        error.append(_distance(own.inputs, guessed.view_as(own.inputs)))
        blind.append(_distance(own.inputs, mean))
    return _row("inversion", "other client", "mean squared error", error, float(np.mean(blind)))


def _distance(sent: torch.Tensor, guessed: torch.Tensor) -> float:
    return float((sent - guessed).square().mean())


def _row(
    attack: str, adversary: str, measure: str, values: Sequence[float], blind: float
) -> dict[str, Any]:
    told = {"attack": attack, "adversary": adversary, "measure": measure, "blind": blind}
    return told | summary(values)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            dict(job.input.items()),
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
