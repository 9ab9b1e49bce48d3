"""Attack what the frameworks' clients send: models, votes, scores, logits, samples, gradients."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from fbftl.attacks import personal_models
from fbftl.attacks.attained import Attained
from fbftl.attacks.partner import labels_of_partner
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.attacks.votes import labels_of_votes
from fbftl.exchange.personal import gathered
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.ground.logs import log
from fbftl.messages.ledger import Ledger
from fbftl.methods.fd import distillation
from fbftl.methods.fedavg.federation import initial_learner
from fbftl.methods.fedhealth.transfer import health_of
from fbftl.methods.fedmd import consensus
from fbftl.study.job import Job, from_params, name_of
from fbftl.tasks.open_data import open_samples
from fbftl.tasks.task import ClientSamples, Inputs, client_samples

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
        axis_text = ", ".join(f"{k} {v}" for k, v in deviations.items() if k != "method")
        named = {"method": job.setting.method, "axes": axis_text, "setting": name_of(deviations)}
        for attained in ATTACKS[job.setting.method](job, client_samples(job, inputs)):
            if attained.fails:
                log.warning("%s: %s falls below its blind guess", named["setting"], attained.attack)
            rows.append(named | attained.row)
    write_table(csv, pd.DataFrame(rows), COLUMNS)


def on_weights(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the weights of FedAvg's clients."""
    watching = Watching(partial(initial_learner, client_data))
    watching.play(job, client_data)
    return membership_in_weights(watching, client_data)


def on_health(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the weights of FedHealth's clients, who begin with the cloud's."""
    watching = Watching(health_of(job, client_data).initial_learner)
    watching.play(job, client_data)
    return membership_in_weights(watching, client_data)


def on_votes(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack FedVote's votes by clients that are dealt open samples of the task's kind."""
    return [labels_of_votes(job, client_data, open_samples(client_data, "target"))]


def on_scores(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the scores of FedMD's clients."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fedmd"))
    consensus.agreed([cohort], open_samples(client_data, job.setting.public_data))
    return [personal_models.membership_in_scores(cohort)]


def on_logits(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack what FD's clients send: seed samples before anything else, if there are any."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fd"))
    if job.setting.seed_samples:
        return [personal_models.seeds_of_generator(cohort, job.setting.seed_samples)]
    distillation.play(cohort)
    return [
        personal_models.labels_of_mean_logits(cohort),
        personal_models.membership_in_mean_logits(cohort),
    ]


def on_partner(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the labels of Secure FTL's other party."""
    return [labels_of_partner(job, client_data)]


ATTACKS: dict[str, Callable[[Job, ClientSamples], list[Attained]]] = {
    "fedavg": on_weights,
    "fedvote": on_votes,
    "fedhealth": on_health,
    "fedmd": on_scores,
    "fd": on_logits,
    "secure_ftl": on_partner,
}
"""By method; the first attack of a setting is in the table of the frameworks."""


if __name__ == "__main__":
    run_by_name(snakemake, main)
