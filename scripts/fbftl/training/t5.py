"""Training at the server: FbFTL and FTL_c from cached features, FTL_f from token ids.

FTL_c's server averages its clients' gradient sums, which is the gradient of the plain mean over
the round's samples; a test forms both. So one loop serves all three, on batches of whole clients.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fbftl.data.participation import held_out
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream, torch_seed
from fbftl.models.t5.head import Cut, head_memory, new_head, sample_losses, summary_logits
from fbftl.models.t5.model import T5
from fbftl.models.t5.sequences import Sequences

EVALUATION_BATCH = 64


@dataclass(frozen=True)
class Samples:
    """What the server has of each sample.

    Attributes:
        inputs: features at the cut; token ids for the cut ``ALL``.
        labels: token ids of the summaries, each ending in ``</s>``.
        clients: client of each sample, int [n].
    """

    inputs: Sequences
    labels: Sequences
    clients: np.ndarray

    def to(self, device: torch.device | str) -> "Samples":
        """Return the same samples on another device."""
        return Samples(self.inputs.to(device), self.labels.to(device), self.clients)


@dataclass(frozen=True)
class Plan:
    """How a head is trained.

    Attributes:
        learning_rate: AdamW's at its highest; it rises over `warmup` and falls linearly to zero.
        batch: most samples in a batch, C·U·K_u.
        epochs: passes over the received samples.
        least_updates: passes are added until there are this many updates, so that scarce data is
            not trained less as well.
        warmup: share of all updates, 0 to 1.
        weight_decay: AdamW's.
        validation: share of the received samples held out to choose the epoch, see
            `uploads.held_out`.
    """

    learning_rate: float = 2e-4
    batch: int = 8
    epochs: int = 10
    least_updates: int = 0
    warmup: float = 0.0
    weight_decay: float = 0.0
    validation: float = 0.1


@dataclass(frozen=True)
class Epoch:
    """One point of the curve: updates so far, and mean losses per sample in nats per token.

    The validation loss is None where no samples are held out.
    """

    epoch: int
    updates: int
    training_loss: float
    validation_loss: float | None


@dataclass(frozen=True)
class Trained:
    """One seed's head at the chosen epoch, and how it came about.

    Attributes:
        model: the head; the source model where training diverged in its first epoch.
        curve: all epochs with finite losses.
        chosen: the epoch of `model`, None where there is none.
        diverged: whether a loss became infinite, which ends the training.
    """

    model: T5
    curve: list[Epoch]
    chosen: Epoch | None
    diverged: bool


Criterion = Callable[[T5, Epoch], float]


def validation_loss(head: T5, epoch: Epoch) -> float:
    """Choose the epoch by the loss on held-out uploads, or the last where none are held out."""
    return -epoch.epoch if epoch.validation_loss is None else epoch.validation_loss


def train_head(
    source: T5,
    cut: Cut,
    samples: Samples,
    received: np.ndarray,
    plan: Plan,
    seed: int,
    criterion: Criterion = validation_loss,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> Trained:
    """Train one seed's head on the samples that were received.

    Args:
        source: the source model, on the device to train on; left as it is.
        cut: number of trained encoder blocks, or ``ALL``.
        samples: all samples, on the same device.
        received: positions of the samples that reached the server, int [m], at least one.
        plan: how to train.
        seed: non-negative; draws validation split, batches and dropout.
        criterion: what the chosen epoch has least of; the first such epoch wins.
        on_epoch: called after each epoch.

    Raises:
        UserError: if no sample was received, or a client has more samples than a batch.
    """
    if not len(received):
        raise UserError(
            "no dialogue reached the server; lower the packet loss rate or raise the data fraction"
        )
    training, validation = held_out(np.sort(received), plan.validation, seed)
    schedule = schedule_of(samples, training, plan, seed)
    head = new_head(source, cut)
    optimizer, rate = _optimizer(head, plan, sum(map(len, schedule)))
    curve: list[Epoch] = []
    chosen, least, best = None, math.inf, _copy(head)
    # Dropout draws from torch's global generators: borrow them.
    with torch.random.fork_rng(_gpus(head)):
        torch.manual_seed(torch_seed(seed, "dropout"))
        for number, batches in enumerate(schedule, start=1):
            loss = _epoch_loss(head, cut, samples, batches, optimizer, rate)
            updates = len(batches) + (curve[-1].updates if curve else 0)
            held = mean_loss(head, cut, samples, validation) if len(validation) else None
            if not math.isfinite(loss + (held or 0.0)):
                break
            epoch = Epoch(number, updates, loss, held)
            curve.append(epoch)
            on_epoch(epoch)
            score = criterion(head.eval(), epoch)
            if score < least:
                chosen, least, best = epoch, score, _copy(head)
    head.load_state_dict(best)
    return Trained(head.eval(), curve, chosen, diverged=len(curve) < len(schedule))


def schedule_of(
    samples: Samples, training: np.ndarray, plan: Plan, seed: int
) -> list[list[np.ndarray]]:
    """Return the batches of every epoch, rows of `samples`: for FTL_c and FTL_f the rounds.

    Args:
        samples: all samples.
        training: rows to train on.
        plan: how to train.
        seed: the repetition's seed.
    """
    random = stream(seed, "batches")
    lengths, clients = samples.inputs.lengths[training], samples.clients[training]
    schedule: list[list[np.ndarray]] = []
    while len(schedule) < plan.epochs or sum(map(len, schedule)) < plan.least_updates:
        batches = epoch_batches(lengths, clients, plan.batch, random)
        schedule.append([training[batch] for batch in batches])
    return schedule


def batch_losses(head: T5, cut: Cut, samples: Samples, rows: np.ndarray) -> Tensor:
    """Return the loss of each named sample [len(rows)]; bfloat16 matmuls on a GPU."""
    inputs, mask = samples.inputs.padded(rows)
    labels, label_mask = samples.labels.padded(rows)
    with torch.autocast(inputs.device.type, torch.bfloat16, enabled=inputs.is_cuda):
        memory = head_memory(head, cut, inputs, mask)
        logits = summary_logits(head, memory, mask, labels)
    return sample_losses(logits, labels, label_mask)


@torch.no_grad()
def mean_loss(head: T5, cut: Cut, samples: Samples, rows: np.ndarray) -> float:
    """Return the mean loss of the named samples, without dropout."""
    head.eval()
    rows = rows[np.argsort(samples.inputs.lengths[rows], kind="stable")]
    parts = [rows[i : i + EVALUATION_BATCH] for i in range(0, len(rows), EVALUATION_BATCH)]
    return sum(float(batch_losses(head, cut, samples, part).sum()) for part in parts) / len(rows)


def _epoch_loss(
    head: T5,
    cut: Cut,
    samples: Samples,
    batches: list[np.ndarray],
    optimizer: torch.optim.Optimizer,
    rate: torch.optim.lr_scheduler.LRScheduler,
) -> float:
    head.train()
    total = torch.zeros((), device=head.shared.weight.device)
    for rows in batches:
        losses = batch_losses(head, cut, samples, rows)
        optimizer.zero_grad(set_to_none=True)
        losses.mean().backward()
        optimizer.step()
        rate.step()
        total += losses.detach().sum()
    return float(total) / sum(map(len, batches))


def _optimizer(
    head: T5, plan: Plan, updates: int
) -> tuple[torch.optim.AdamW, torch.optim.lr_scheduler.LambdaLR]:
    trained = [parameter for parameter in head.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        trained, lr=plan.learning_rate, weight_decay=plan.weight_decay, fused=True
    )
    rise = max(round(plan.warmup * updates), 1)

    def rate(update: int) -> float:
        return min((update + 1) / rise, (updates - update) / max(updates - rise, 1), 1.0)

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


def _copy(head: T5) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in head.state_dict().items()}


def _gpus(head: T5) -> list[torch.device]:
    device = head.shared.weight.device
    return [device] if device.type == "cuda" else []


WINDOW = 50
"""Batches among which clients are sorted by length; the rest of the order stays random."""


def epoch_batches(
    lengths: np.ndarray, clients: np.ndarray, batch_size: int, random: np.random.Generator
) -> list[np.ndarray]:
    """Return one epoch's batches in random order; each sample is in exactly one.

    A batch takes whole clients until the next would not fit: with K samples at every client it is
    one round of ``batch_size / K`` clients, so that FbFTL and FTL_c see the same batches. Clients
    are shuffled and then sorted by length within a window, so that little is padded.

    Args:
        lengths: length of each sample's input [n].
        clients: client of each sample [n].
        batch_size: most samples in a batch.
        random: the generator that shuffles.

    Returns:
        Arrays of sample positions.

    Raises:
        UserError: if a client has more samples than a batch.
    """
    order = np.argsort(clients, kind="stable")
    held = np.split(order, np.flatnonzero(np.diff(clients[order])) + 1)
    largest = max(len(samples) for samples in held)
    if largest > batch_size:
        raise UserError(
            f"a client has {largest} samples, more than the batch of {batch_size}; "
            "raise training.batch, or give clients fewer samples"
        )
    held = [held[i] for i in random.permutation(len(held))]
    window = max(WINDOW * batch_size * len(held) // len(lengths), 1)
    batches = []
    for first in range(0, len(held), window):
        near = sorted(held[first : first + window], key=lambda samples: lengths[samples].max())
        batches += _packed(near, batch_size)
    return [batches[i] for i in random.permutation(len(batches))]


def _packed(held: list[np.ndarray], batch_size: int) -> list[np.ndarray]:
    batches: list[list[np.ndarray]] = [[]]
    room = batch_size
    for samples in held:
        if len(samples) > room:
            batches.append([])
            room = batch_size
        batches[-1].append(samples)
        room -= len(samples)
    return [np.concatenate(batch) for batch in batches]
