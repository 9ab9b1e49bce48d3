"""Attack what the frameworks' clients send: models, votes, scores, logits, samples, gradients."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from fbftl.attacks import kept_models
from fbftl.attacks.attained import Attained
from fbftl.attacks.partner import labels_of_partner
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.attacks.votes import labels_of_votes
from fbftl.exchange import consensus, distillation
from fbftl.exchange.adapting import health_of
from fbftl.exchange.federation import begun
from fbftl.exchange.kept import gathered
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.logs import log, run_job
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job, from_params, name_of
from fbftl.tasks.task import HeldSamples, Inputs, held_samples

COLUMNS = [
    Column("method", "Method"),
    Column("axes", "Setting"),
    Column("attack", "Attack"),
    Column("adversary", "Adversary"),
    Column("measure", "Measure"),
    Column("value", "Attained", format="{:.3f}"),
    Column("spread", "±", format="{:.3f}"),
    Column("blind", "Blind guess", format="{:.3f}"),
    Column("repetitions", "Victims"),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write what adversaries find; md, tex and html go beside the csv.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv.
        jobs: the settings whose messages are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        job, deviations = from_params(params, axes), params["setting"]
        told = ", ".join(f"{k} {v}" for k, v in deviations.items() if k != "method")
        named = {"method": job.setting.method, "axes": told, "setting": name_of(deviations)}
        for found in ATTACKS[job.setting.method](job, held_samples(job, inputs)):
            if found.fails:
                log.warning("%s: %s falls below its blind guess", named["setting"], found.attack)
            rows.append(named | found.row)
    write_table(csv, pd.DataFrame(rows), COLUMNS)


def on_weights(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack the weights of FedAvg's clients."""
    watching = Watching(partial(begun, held))
    watching.play(job, held)
    return membership_in_weights(watching, held)


def on_health(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack the weights of FedHealth's clients, who begin with the cloud's."""
    watching = Watching(health_of(job, held).begun)
    watching.play(job, held)
    return membership_in_weights(watching, held)


def on_votes(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack FedVote's votes by clients that are dealt open samples of the task's kind."""
    return [labels_of_votes(job, held, held.open_samples("target"))]


def on_scores(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack the scores of FedMD's clients."""
    company = gathered(job, held, job.seeds[0], Ledger(method="fedmd"))
    consensus.agreed([company], held.open_samples(job.setting.public_data))
    return [kept_models.membership_in_scores(company)]


def on_logits(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack what FD's clients send: seed samples before anything else, if there are any."""
    company = gathered(job, held, job.seeds[0], Ledger(method="fd"))
    if job.setting.seed_samples:
        return [kept_models.seeds_of_generator(company, job.setting.seed_samples)]
    distillation.play(company)
    return [
        kept_models.labels_of_mean_logits(company),
        kept_models.membership_in_mean_logits(company),
    ]


def on_partner(job: Job, held: HeldSamples) -> list[Attained]:
    """Attack the labels of Secure FTL's other party."""
    return [labels_of_partner(job, held)]


ATTACKS: dict[str, Callable[[Job, HeldSamples], list[Attained]]] = {
    "fedavg": on_weights,
    "fedvote": on_votes,
    "fedhealth": on_health,
    "fedmd": on_scores,
    "fd": on_logits,
    "secure_ftl": on_partner,
}
"""By method; the first attack of a setting stands in the table of the frameworks."""


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
