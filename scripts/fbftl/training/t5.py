"""Training of a T5 at the server: from cached features at a cut, or from token ids.

One learner serves FbFTL, whose server has all samples, and FTL_c and FTL_f, whose clients form the
gradients: a batch is a round of whole clients either way, and where nothing is done to single
updates their average is the gradient of the plain mean over the round's samples.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream, torch_seed
from fbftl.models.modes import digest
from fbftl.models.t5.head import (
    Cut,
    Sequences,
    head_memory,
    new_head,
    sample_losses,
    summary_logits,
)
from fbftl.models.t5.model import T5
from fbftl.study.job import FineTuning
from fbftl.training.batches import Round, Rounds, laid_out
from fbftl.training.optimisers import Adam

EVALUATION_BATCH = 64


@dataclass(frozen=True)
class SequencePairs:
    """What the server has of each sample.

    inputs: features at the cut; token ids for the cut ``ALL``. On the training device, or where
        there is room for them.
    labels: token ids of the summaries, each ending in ``</s>``, on the training device.
    clients: client of each sample, int [n].
    """

    inputs: Sequences
    labels: Sequences
    clients: np.ndarray

    def to(self, device: torch.device | str) -> "SequencePairs":
        """Return these samples on another device."""
        return SequencePairs(self.inputs.to(device), self.labels.to(device), self.clients)


@dataclass(frozen=True)
class CurvePoint:
    """One point of the curve: updates so far, and mean losses per sample in nats per token.

    The validation loss is None where no samples are held out; `model` is the head's SHA-256.
    """

    epoch: int
    updates: int
    training_loss: float
    validation_loss: float | None
    model: str


Criterion = Callable[[T5, CurvePoint], float]


def validation_loss(head: T5, epoch: CurvePoint) -> float:
    """Choose the epoch by the loss on held-out uploads, or the last where none are held out."""
    return -epoch.epoch if epoch.validation_loss is None else epoch.validation_loss


class TrainedT5:
    """A T5 from a cut on that AdamW trains: a `Learner` of `tasks.task`.

    Args:
        source: the source model, on the device to train on; left as it is.
        cut: number of trained encoder blocks, or ``ALL``.
        samples: all samples.
        clients: training rows of each client, at least one.
        validation: rows that are held out.
        plan: how to train.
        seed: non-negative; draws batches and dropout.
        criterion: what the chosen epoch has least of; the first such epoch wins.
        on_epoch: called after each epoch.

    head: what is trained.
    curve: all epochs with finite losses.
    chosen: the best epoch so far, None where there is none.

    Raises:
        UserError: if there is nothing to train on, or a client has more samples than a batch.
    """

    def __init__(
        self, source: T5, cut: Cut, samples: SequencePairs, clients: Sequence[np.ndarray],
        validation: np.ndarray, plan: FineTuning, seed: int, criterion: Criterion = validation_loss,
        on_epoch: Callable[[CurvePoint], None] = lambda epoch: None,
    ) -> None:  # fmt: skip
        self._cut, self._samples, self._validation = cut, samples, validation
        self._criterion, self._on_epoch = criterion, on_epoch
        self.schedule = schedule_of(samples.inputs.lengths, clients, plan, seed)
        self.head = new_head(source, cut)
        self.parameters = [
            parameter for parameter in self.head.parameters() if parameter.requires_grad
        ]
        self._rate = learning_rate(plan, sum(map(len, self.schedule)))
        self._optimizer = Adam(self.parameters, plan, decoupled=True)
        self.curve: list[CurvePoint] = []
        self.chosen: CurvePoint | None = None
        self.diverged = False
        self._updates, self._least, self._best = 0, math.inf, _copy(self.head)
        self._dropout = Dropout(self.head, torch_seed(seed, "dropout"))

    def mean_gradient(self, round_: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return each arriving sample's loss and the gradient of their mean."""
        rows = round_.rows[arrives][round_.present[arrives]]
        if not len(rows):
            nothing = self.head.shared.weight.new_zeros(0)
            return nothing, [torch.zeros_like(parameter) for parameter in self.parameters]
        losses = self._losses(rows)
        return losses.detach(), list(torch.autograd.grad(losses.mean(), self.parameters))

    def client_gradients(self, round_: Round) -> tuple[Tensor, Tensor]:
        """Return each sample's loss, and each client's sum of per-sample gradients (C, X)."""
        every, updates = [], []
        for rows, present in zip(round_.rows, round_.present, strict=True):
            losses = self._losses(rows[present])
            gradients = torch.autograd.grad(losses.sum(), self.parameters)
            every.append(losses.detach())
            updates.append(torch.cat([gradient.flatten() for gradient in gradients]))
        return torch.cat(every), torch.stack(updates)

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round: its update g_u.

        Its dropout is that of the round, which is yet to be drawn.
        """
        with self._dropout.rewound():
            return self.client_gradients(round_)[1][0].cpu().numpy()

    def step(self, gradient: Sequence[Tensor]) -> None:
        """Take one step of AdamW, at the learning rate of this update."""
        self._optimizer.step([part.contiguous() for part in gradient], self._rate(self._updates))
        self._updates += 1

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Keep the head if it is the best so far; a loss that is not finite ends the training."""
        if self.diverged:
            return
        count = sum(len(round_losses.view(-1)) for round_losses in losses)
        loss = float(sum(round_losses.sum() for round_losses in losses)) / max(count, 1)
        validation = None
        if len(self._validation):
            validation = mean_loss(self.head, self._cut, self._samples, self._validation)
        if not math.isfinite(loss + (validation or 0.0)):
            self.diverged = True
            return
        model = digest(self.parameters)
        epoch = CurvePoint(len(self.curve) + 1, self._updates, loss, validation, model)
        self.curve.append(epoch)
        self._on_epoch(epoch)
        score = self._criterion(self.head.eval(), epoch)
        if score < self._least:
            self.chosen, self._least, self._best = epoch, score, _copy(self.head)

    def best(self) -> T5:
        """Return the head at the chosen epoch; the source model where there is none."""
        self.head.load_state_dict(self._best)
        return self.head.eval()

    def _losses(self, rows: np.ndarray) -> Tensor:
        with self._dropout.resumed():
            return batch_losses(self.head, self._cut, self._samples, rows)


class Dropout:
    """Lets a model drop out from a stream of its own, which torch only has globally.

    Args:
        model: put into train mode while it draws.
        seed: of the stream.
    """

    def __init__(self, model: T5, seed: int) -> None:
        device = model.shared.weight.device
        self._model, self._gpus = model, [device] if device.type == "cuda" else []
        with torch.random.fork_rng(self._gpus):
            torch.manual_seed(seed)
            self._states = self._now()

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """Go on with the stream inside the block, and leave torch's generators as they were."""
        if not self._model.training:
            self._model.train()
        with torch.random.fork_rng(self._gpus):
            torch.set_rng_state(self._states[0])
            for device, state in zip(self._gpus, self._states[1:], strict=True):
                torch.cuda.set_rng_state(state, device)
            yield
            self._states = self._now()

    @contextmanager
    def rewound(self) -> Iterator[None]:
        """Draw inside the block, and then anew what was drawn there."""
        states = self._states
        yield
        self._states = states

    def _now(self) -> list[Tensor]:
        return [torch.get_rng_state(), *map(torch.cuda.get_rng_state, self._gpus)]


def train_at_server(learner: TrainedT5) -> TrainedT5:
    """Train on all samples of every round, which the server has; return the learner."""
    for epoch in learner.schedule:
        losses = []
        for round_ in epoch.single() if not learner.diverged else ():
            loss, gradient = learner.mean_gradient(round_, np.ones(len(round_.clients), dtype=bool))
            learner.step(gradient)
            losses.append(loss)
        learner.end_epoch(losses)
    return learner


def schedule_of(
    lengths: np.ndarray, clients: Sequence[np.ndarray], plan: FineTuning, seed: int
) -> list[Rounds]:
    """Return the rounds of every epoch.

    Args:
        lengths: length of every sample's input [n].
        clients: training rows of each client.
        plan: how to train.
        seed: the repetition's seed.

    Raises:
        UserError: if there are no rows, or a client has more than a batch.
    """
    if not sum(map(len, clients)):
        raise UserError(
            "no dialogue reached the server; lower the packet loss rate or raise the data fraction"
        )
    random = stream(seed, "batches")
    schedule: list[Rounds] = []
    while len(schedule) < plan.epochs or sum(map(len, schedule)) < plan.least_updates:
        schedule.append(epoch_rounds(lengths, clients, plan.batch, random))
    return schedule


def batch_losses(head: T5, cut: Cut, samples: SequencePairs, rows: np.ndarray) -> Tensor:
    """Return the loss of each named sample [len(rows)]; bfloat16 matmuls on a GPU."""
    labels, label_mask = samples.labels.padded(rows)
    inputs, mask = (values.to(labels.device) for values in samples.inputs.padded(rows))
    with torch.autocast(inputs.device.type, torch.bfloat16, enabled=inputs.is_cuda):
        memory = head_memory(head, cut, inputs, mask)
        logits = summary_logits(head, memory, mask, labels)
    return sample_losses(logits, labels, label_mask)


@torch.no_grad()
def mean_loss(head: T5, cut: Cut, samples: SequencePairs, rows: np.ndarray) -> float:
    """Return the mean loss of the named samples, without dropout."""
    head.eval()
    rows = rows[np.argsort(samples.inputs.lengths[rows], kind="stable")]
    parts = [rows[i : i + EVALUATION_BATCH] for i in range(0, len(rows), EVALUATION_BATCH)]
    return sum(float(batch_losses(head, cut, samples, part).sum()) for part in parts) / len(rows)


def learning_rate(plan: FineTuning, updates: int) -> Callable[[int], float]:
    """Return the learning rate of each of so many updates, from 0: it rises, then falls to 0."""
    rise = max(round(plan.warmup * updates), 1)

    def rate(update: int) -> float:
        factor = min((update + 1) / rise, (updates - update) / max(updates - rise, 1), 1.0)
        return plan.learning_rate * factor

    return rate


def _copy(head: T5) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in head.state_dict().items()}


WINDOW = 50
"""Batches among which clients are sorted by length; the rest of the order stays random."""


def epoch_rounds(
    lengths: np.ndarray, clients: Sequence[np.ndarray], batch: int, random: np.random.Generator
) -> Rounds:
    """Return one epoch's rounds in random order; each client is in exactly one.

    A round takes whole clients until the next would not fit: with K samples at every client it is
    one of ``batch / K`` clients, so that FbFTL and FTL_c see the same batches. Clients are
    shuffled and then sorted by length within a window, so that little is padded.

    Args:
        lengths: length of every sample's input [n].
        clients: rows of each client.
        batch: most samples in a round.
        random: the generator that shuffles.

    Raises:
        UserError: if a client has more samples than a batch.
    """
    sizes = [len(rows) for rows in clients]
    if max(sizes) > batch:
        raise UserError(
            f"a client has {max(sizes)} samples, more than the batch of {batch}; "
            "raise training.batch, or give clients fewer samples"
        )
    order = random.permutation(len(clients))
    window = max(WINDOW * batch * len(clients) // sum(sizes), 1)
    chosen: list[list[int]] = []
    for first in range(0, len(order), window):
        near = sorted(
            order[first : first + window], key=lambda client: lengths[clients[client]].max()
        )
        room = 0  # each round is as full as whole clients make it
        for client in near:
            if sizes[client] > room:
                chosen.append([])
                room = batch
            chosen[-1].append(client)
            room -= sizes[client]
    return laid_out([np.array(chosen[i]) for i in random.permutation(len(chosen))], clients)
