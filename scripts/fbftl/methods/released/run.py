"""A run of the public script's procedure, all its seeds."""

from typing import Any

import torch

from fbftl.data.participation import clients_of, held_out, participating
from fbftl.ground.randomness import torch_seed
from fbftl.messages.ledger import Ledger
from fbftl.methods.released.training import Positions, record_of, train_released
from fbftl.study.job import Job
from fbftl.tasks.task import ClientSamples, Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed, one after the other.

    The script sends no messages, so the ledger stays empty.
    """
    client_data = client_samples(job, inputs)
    repetitions = [_repetition(job, client_data, seed) for seed in job.seeds]
    ledger = Ledger(method="released", store=client_data.provenance["features"])
    return Outcome(repetitions, ledger, client_data.provenance)


def _repetition(job: Job, client_data: ClientSamples, seed: int) -> dict[str, Any]:
    samples, test = client_data.samples, client_data.test
    client = clients_of(job, client_data.partition, seed)
    offered = participating(client, job.setting.fraction, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    target = client_data.target.at(job.setting.cut)
    extractor, head = target.transferred().requires_grad_(False), target.head(job, seed)
    positions = Positions(training, job.training.batch, job.setting.plr, seed)
    with torch.random.fork_rng():
        torch.manual_seed(torch_seed(seed, "dropout"))
        curves = train_released(
            extractor, head, positions, samples, validation, test, job.network_training
        )
    counts = {"seed": seed, "offered": len(offered)}
    return record_of(curves, positions, job.training.selection) | counts
