"""A server that averages a model part by part, and what it can read from what comes in.

A part is averaged over those users who trained it, by their samples; what nobody trained stays.
Where nothing hides them, an adversary at the server's desk reads users' groups off their messages
(`methods/fade/group_leakage.py`), from masked ones off their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.ground.ring import ring_for
from fbftl.methods.fade.group_leakage import leak
from fbftl.methods.fade.groups import Users
from fbftl.privacy.noise import clip_rows
from fbftl.study.bounds import updates_bound
from fbftl.study.job import Job

TOGETHER = 64
"""Rounds whose messages are held until they are entered together."""

Spans = list[tuple[slice, np.ndarray]]
"""Runs of numbers in a message, and which of a round's users (C,) trained each run."""


def spans_of(sizes: Mapping[str, int], trained: Mapping[str, np.ndarray]) -> Spans:
    """Return the parts' places in a message, neighbours that the same users trained as one."""
    spans: Spans = []
    at = 0
    for name, size in sizes.items():
        who = trained[name]
        if spans and np.array_equal(spans[-1][1], who):
            spans[-1] = (slice(spans[-1][0].start, at + size), who)
        else:
            spans.append((slice(at, at + size), who))
        at += size
    return spans


@dataclass(frozen=True)
class UpdateNoise:
    """What users put on their updates.

    clip_norm: L2 clip norm c of an update.
    std: standard deviation of the noise.
    seed: of the noise.
    """

    clip_norm: float
    std: float
    seed: int


def sums_of(
    job: Job, post: Post, users: Users, taking_part: int, noise: UpdateNoise | None
) -> SecureSum | None:
    """Return the secure sums of a setting, None where its server sees every message.

    Clipped updates are summed, weighted by their users' samples. Of users whose updates are not
    clipped nothing is bounded.

    Args:
        job: the setting.
        post: through which they go.
        users: all of them.
        taking_part: users of a round.
        noise: what each puts on its update, and the clip norm.
    """
    if job.setting.aggregation == "open":
        return None
    bound = None
    if noise is not None:
        most = np.sort([len(rows) for rows in users.rows])[-taking_part:]
        bound = updates_bound(int(most.sum()), noise.clip_norm, noise.std)
    # What a user sends and what the server knows of it are rounded each.
    return SecureSum(post, ring_for(bound, 2 * taking_part, job.setting.fraction_bits))


@dataclass
class PartServer:
    """One seed's server: it averages, and an adversary at its desk reads what comes in.

    post: through which messages go.
    users: whose they are.
    secure: the sums that it sees alone; None where it sees every message.
    outputs: of the discriminator, whose biases end a message; 0 without one.
    noise: what users put on their updates; None for nothing.
    counts: (U,) samples of each user.
    """

    post: Post
    users: Users
    secure: SecureSum | None
    outputs: int
    noise: UpdateNoise | None
    _waiting: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    _read: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = np.array([len(rows) for rows in self.users.rows])
        self._before: dict[int, np.ndarray] = {}

    def sent(
        self, round_number: int, chosen: np.ndarray, before: Tensor, weights: Tensor
    ) -> Tensor:
        """Return what the users (C,) of a round send (C, X) of their weights.

        Args:
            round_number: the round, from 1.
            chosen: (C,) its users.
            before: (X,) what they began with.
            weights: (C, X) what they have.
        """
        noise = self.noise
        if noise is None:
            return weights
        updates = clip_rows((weights - before).cpu().numpy(), noise.clip_norm)
        for index, user in enumerate(chosen.tolist()):
            draws = stream(noise.seed, "update_noise", round_number, user)
            updates[index] += noise.std * draws.standard_normal(updates.shape[1], dtype=np.float32)
        return before + torch.from_numpy(updates).to(before)

    def masked_average(
        self, round_number: int, chosen: np.ndarray, before: Tensor, sent: Tensor, spans: Spans
    ) -> Tensor:
        """Exchange a round's masked messages; return the average (X,) of what was trained.

        Args:
            round_number, chosen, before: as in `sent`.
            sent: (C, X) what the users send.
            spans: who trained which numbers; those that nobody trained stay.
        """
        self.post.broadcast({"weights": len(before)}, np.array([round_number]))
        counts = self.counts[chosen]
        weighted = sent.double().cpu().numpy() * counts[:, None]
        # Only a clipped update is bounded, so that it alone is in the ring.
        broadcast = before.double().cpu().numpy() * counts[:, None]
        known = None if self.noise is None else broadcast.__getitem__
        owners = self.users.owners[chosen]
        # Nothing is lost, and two users take part at least: there is a sum.
        summed = required(self.secure).of(
            weighted.__getitem__, owners, round_number, part="weights", known=known
        )
        total = required(summed.total)
        whole, average = torch.from_numpy(total / counts.sum()).to(before), before.clone()
        for span, who in spans:
            if who.any():
                average[span] = whole[span]
        if self.outputs and spans[-1][1].any():
            moved = (average - before)[-self.outputs :].cpu().numpy()
            self._read.append((np.tile(moved, (len(chosen), 1)), chosen))
        return average

    def receive(
        self, round_number: int, chosen: np.ndarray, before: np.ndarray, sent: np.ndarray,
        who: np.ndarray,
    ) -> None:  # fmt: skip
        """Receive a round's open messages.

        Args:
            round_number, chosen: as in `sent`.
            before: (X,) what the users began with.
            sent: (C, X) what they send.
            who: (C,) which of them trained the discriminator.
        """
        if self.outputs:
            self._before[round_number] = before[-self.outputs :]
        self._waiting.append((round_number, chosen, sent, who))
        if len(self._waiting) == TOGETHER:
            self.settle()

    def settle(self) -> None:
        """Enter the messages that wait, and read what they say of their senders."""
        if not self._waiting:
            return
        round_numbers, chosen, sent, who = zip(*self._waiting, strict=True)
        self._waiting.clear()
        users, values = np.concatenate(chosen), np.concatenate(sent)
        rounds = np.repeat(round_numbers, [len(ids) for ids in chosen])
        parts = {"weights": values.shape[1]}
        self.post.broadcast(parts, np.array(round_numbers))
        receipt = self.post.up(parts, self.users.owners[users], rounds, content=values)
        if self.outputs:
            before = np.stack([self._before.pop(round_number) for round_number in round_numbers])
            sent_biases = required(receipt.values)[:, -self.outputs :]
            moved = sent_biases - before[np.searchsorted(round_numbers, rounds)]
            trained = np.concatenate(who)
            self._read.append((moved[trained], users[trained]))

    def leaked(self) -> dict[str, float]:
        """Return how well the adversary read groups; nothing where no discriminator was trained."""
        self.settle()
        if not sum(len(users) for _, users in self._read):
            return {}
        moved, users = (np.concatenate(parts) for parts in zip(*self._read, strict=True))
        return leak(moved, users, self.users.group)


def open_averages(
    servers: Sequence[PartServer], round_number: int, chosen: np.ndarray, before: Tensor,
    weights: Tensor, spans: Spans,
) -> Tensor:  # fmt: skip
    """Have S servers that see every message receive a round's; return their averages (S, X).

    Args:
        servers: each of a trial of its own.
        round_number: the round, from 1.
        chosen: (S, C) the users of each.
        before: (S, X) what they began with; numbers that nobody trained stay.
        weights: (S, C, X) what they have.
        spans: who trained which numbers, the same at all servers.
    """
    counts, sent = [], []
    for server, users, *values in zip(servers, chosen, before, weights, strict=True):
        counts.append(server.counts[users])
        sent.append(server.sent(round_number, users, *values))
    samples, messages = np.stack(counts), torch.stack(sent)
    contents = zip(servers, chosen, before.cpu().numpy(), messages.cpu().numpy(), strict=True)
    for server, users, broadcast, message in contents:
        server.receive(round_number, users, broadcast, message, spans[-1][1])
    average = before.clone()
    for span, who in spans:
        if who.any():
            shares = samples[:, who] / samples[:, who].sum(1, keepdims=True)
            trained = messages[..., span] if who.all() else messages[:, torch.from_numpy(who), span]
            weighted = torch.bmm(torch.from_numpy(shares[:, None]).to(before), trained)
            average[:, span] = weighted[:, 0]
    return average


def masked_averages(
    servers: Sequence[PartServer], round_number: int, chosen: np.ndarray, before: Tensor,
    weights: Tensor, spans: Spans,
) -> Tensor:  # fmt: skip
    """Have servers that see sums alone exchange a round, arguments and averages as above."""
    averages = []
    for server, users, start, trained in zip(servers, chosen, before, weights, strict=True):
        sent = server.sent(round_number, users, start, trained)
        averages.append(server.masked_average(round_number, users, start, sent, spans))
    return torch.stack(averages)
