"""FbFTL as the authors' public script does it (audit rows A2 and A4), to measure what that changes.

The frozen extractor runs anew over every batch of every epoch, in train mode, so that its dropout
changes a sample's features each time; cut after a dropout layer to see it. A lost packet is a lost
batch position: another mini-batch stands there in the next epoch. What is this project's own is
the head, the seeds and the validation split, shared with `fbftl` so that the two compare.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from fbftl.data.participation import clients_of, held_out, participating
from fbftl.exchange.rounds import evaluate
from fbftl.ground.randomness import stream, torch_seed
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job, Training
from fbftl.tasks.images import Target, read
from fbftl.tasks.task import Federation, Inputs, LabelledInputs, Outcome
from fbftl.training.curves import Curves, record
from fbftl.training.sgd import Sgd


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed, one after the other.

    The script sends no messages, so the ledger stays empty.
    """
    federation, target = read(inputs)
    target = cut_at(target, job.setting.cut)
    repetitions = [_repetition(job, federation, target, seed) for seed in job.seeds]
    ledger = Ledger(method="released", store=federation.provenance["features"])
    return Outcome(repetitions, ledger, federation.provenance)


def cut_at(target: Target, cut: str | None) -> Target:
    """Return a target cut at another layer; none keeps the task's own."""
    if cut is None:
        return target
    moved = replace(target, cut=cut)
    with torch.no_grad():
        features = moved.transferred()(target.example.to(target.inputs.device))
    return replace(moved, width=features.shape[1])


def _repetition(job: Job, federation: Federation, target: Target, seed: int) -> dict[str, Any]:
    client = clients_of(job, federation.held, seed)
    offered = participating(client, job.setting.fraction, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    extractor = target.transferred().requires_grad_(False)
    head = target.head(job, seed)
    positions = Positions(training, job.training.batch, job.setting.plr, seed)
    with torch.random.fork_rng():
        torch.manual_seed(torch_seed(seed, "dropout"))
        curves = train(extractor, head, positions, federation, validation, job.training)
    return record(curves, job.training.selection) | {
        "seed": seed,
        "offered": len(offered),
        "received": round(positions.share * len(training)),
        "seen": int(positions.seen.sum()),
    }


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
        arrives = np.arange(count) >= int(count * self.plr)
        self.arrives = stream(self.seed, "positions").permutation(arrives)
        self.seen = np.zeros(len(self.rows), dtype=bool)
        self._order = stream(self.seed, "batches")

    @property
    def share(self) -> float:
        """Share of the positions that arrives in an epoch."""
        return float(self.arrives.mean())

    def epoch(self) -> Iterator[np.ndarray]:
        """Yield the rows of every mini-batch of one epoch that arrives."""
        order = self._order.permutation(len(self.rows))
        for position, start in enumerate(range(0, len(order), self.batch)):
            if self.arrives[position]:
                chosen = order[start : start + self.batch]
                self.seen[chosen] = True
                yield self.rows[chosen]


def train(
    extractor: nn.Module,
    head: nn.Module,
    positions: Positions,
    federation: Federation,
    validation: np.ndarray,
    training: Training,
) -> Curves:
    """Train the head in place, the extractor before it in train mode, and return the curves.

    Args:
        extractor: frozen, on the training device.
        head: on the training device.
        positions: which rows each step trains on.
        federation: the clients' samples and the test split.
        validation: rows that are held out.
        training: epochs, learning rate, momentum, weight decay.
    """
    network = nn.Sequential(extractor, head)
    optimizer = Sgd(list(head.parameters()), training)
    samples = federation.samples
    held = LabelledInputs(samples.inputs[validation], samples.labels[validation])
    curves = Curves()
    for _ in range(training.epochs):
        network.train()
        losses = []
        for rows in positions.epoch():
            loss = functional.cross_entropy(network(samples.inputs[rows]), samples.labels[rows])
            gradients = torch.autograd.grad(loss, optimizer.parameters)
            optimizer.step([gradient.contiguous() for gradient in gradients])
            losses.append(loss.item())
        network.eval()
        accuracy, held_loss = evaluate(network, held) if len(validation) else (None, None)
        test_accuracy, _ = evaluate(network, federation.test)
        curves.append(float(np.mean(losses)) if losses else 0.0, accuracy, held_loss, test_accuracy)
    return curves
