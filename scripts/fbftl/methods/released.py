"""FbFTL as the authors' public script does it (audit rows A2 and A4), to measure what that changes.

The frozen extractor runs anew over every batch of every epoch, in train mode, so that its dropout
changes a sample's features each time; cut after a dropout layer to see it. A lost packet is a lost
batch position: another mini-batch stands there in the next epoch. What is this project's own is
the head, the seeds and the validation split, shared with `fbftl` so that the two compare.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from fbftl.data.participation import held_out, participants_of
from fbftl.ground.randomness import stream, torch_seed
from fbftl.messages.ledger import Ledger
from fbftl.models.modes import digest_of
from fbftl.study.job import Job, Training
from fbftl.training.batches import positions_that_arrive
from fbftl.training.curves import Curves, record
from fbftl.training.network import evaluate, evaluated
from fbftl.training.optimisers import Sgd
from fbftl.training.samples import LabelledSamples
from fbftl.training.tasks.task import ClientSamples, Inputs, Outcome, client_samples


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
    offered = participants_of(job, client_data.partition, seed).offered
    training, validation = held_out(offered, job.training.validation, seed)
    target = client_data.target.at(job.setting.cut)
    extractor, head = target.transferred().requires_grad_(False), target.head(job, seed)
    positions = Positions(training, job.training.batch, job.setting.plr, seed)
    with torch.random.fork_rng():
        torch.manual_seed(torch_seed(seed, "dropout"))
        curves = train_released(
            extractor, head, positions, samples, validation, test, job.network_training
        )
    counts = {
        "seed": seed,
        "offered": len(offered),
        "received": round(float(positions.arrives.mean()) * len(positions.rows)),
        "seen": int(positions.seen.sum()),
    }
    return record(curves, job.training.selection) | counts


@dataclass
class Positions:
    """Mini-batches under a mask over their positions, reshuffled every epoch.

    rows: (n,) training rows.
    batch: rows per mini-batch.
    plr: share of positions that is lost, rounded down to whole positions as in the script.
    seed: the repetition's seed.
    """

    rows: np.ndarray
    batch: int
    plr: float
    seed: int

    def __post_init__(self) -> None:
        count = -(-len(self.rows) // self.batch)
        self.arrives = positions_that_arrive(count, self.plr, self.seed)
        self.seen = np.zeros(len(self.rows), dtype=bool)
        self._order = stream(self.seed, "batches")

    def epoch(self) -> Iterator[np.ndarray]:
        """Yield the rows of every mini-batch of one epoch that arrives."""
        order = self._order.permutation(len(self.rows))
        for position, start in enumerate(range(0, len(order), self.batch)):
            if self.arrives[position]:
                chosen = order[start : start + self.batch]
                self.seen[chosen] = True
                yield self.rows[chosen]


def train_released(
    extractor: nn.Module,
    head: nn.Module,
    positions: Positions,
    samples: LabelledSamples,
    validation: np.ndarray,
    test: LabelledSamples,
    training: Training,
) -> Curves:
    """Train the head in place, the extractor before it in train mode, and return the curves.

    Args:
        extractor: frozen, on the training device.
        head: on the training device.
        positions: which rows each step trains on.
        samples: the clients' samples.
        validation: rows of them that are held out.
        test: the test split.
        training: epochs, learning rate, momentum, weight decay.
    """
    network = nn.Sequential(extractor, head)
    optimizer = Sgd(list(head.parameters()), training)
    curves, tested = Curves(), np.arange(len(test.labels))
    for _ in range(training.epochs):
        network.train()
        losses = []
        for rows in positions.epoch():
            batch = samples.at(rows)
            loss = functional.cross_entropy(network(batch.inputs), batch.labels)
            gradients = torch.autograd.grad(loss, optimizer.parameters)
            optimizer.step([gradient.contiguous() for gradient in gradients])
            losses.append(loss.item())
        network.eval()
        accuracy, held_loss = evaluated(network, samples, validation)
        on_test = evaluate(network, test, tested)
        mean_loss = float(np.mean(losses)) if losses else 0.0
        model = digest_of(head)
        curves.append(mean_loss, accuracy, held_loss, on_test.accuracy, model, on_test.right)
    return curves
