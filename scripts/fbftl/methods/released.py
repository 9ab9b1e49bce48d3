"""FbFTL as the authors' public script does it (audit rows A2 and A4), to measure what that changes.

The frozen extractor runs anew over every batch of every epoch, in train mode, so that its dropout
changes a sample's features each time; cut after a dropout layer to see it. A lost packet is a lost
batch position: another mini-batch stands there in the next epoch. What is this project's own is
the head, the seeds and the validation split, shared with `fbftl` so that the two compare.
"""

from typing import Any

import torch

from fbftl.data.participation import clients_of, held_out, participating
from fbftl.ground.randomness import torch_seed
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, Inputs, Outcome, held_samples
from fbftl.training.released import Positions, found, train_released


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed, one after the other.

    The script sends no messages, so the ledger stays empty.
    """
    held = held_samples(job, inputs)
    repetitions = [_repetition(job, held, seed) for seed in job.seeds]
    ledger = Ledger(method="released", store=held.provenance["features"])
    return Outcome(repetitions, ledger, held.provenance)


def _repetition(job: Job, held: HeldSamples, seed: int) -> dict[str, Any]:
    client = clients_of(job, held.holdings, seed)
    offered = participating(client, job.setting.fraction, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    extractor, head = held.parts(job, seed)
    positions = Positions(training, job.training.batch, job.setting.plr, seed)
    with torch.random.fork_rng():
        torch.manual_seed(torch_seed(seed, "dropout"))
        curves = train_released(
            extractor, head, positions, held.samples, validation, held.test, job.training
        )
    own = {"seed": seed, "offered": len(offered)}
    return found(curves, positions, job.training.selection) | own
