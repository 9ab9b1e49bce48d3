"""A server that averages a model part by part, and what it can read from what comes in.

A part is averaged over those users who trained it, by their samples; what nobody trained stays.
Where nothing hides them, an adversary at the server's desk reads users' groups off their messages
(`privacy/group_leakage.py`), from masked ones off their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.averaging import by_samples
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum
from fbftl.ground.randomness import stream
from fbftl.privacy.group_leakage import leak
from fbftl.privacy.noise import clip_rows
from fbftl.tasks.grouped import Users

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


@dataclass
class PartServer:
    """One seed's server: it averages, and an adversary at its desk reads what comes in.

    post: through which messages go.
    users: whose they are.
    masked: whether it sees sums alone.
    outputs: of the discriminator, whose biases end a message; 0 without one.
    noise: what users put on their updates; None for nothing.
    """

    post: Post
    users: Users
    masked: bool
    outputs: int
    noise: UpdateNoise | None
    _waiting: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    _read: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._secure = SecureSum(self.post)
        self._counts = np.array([len(rows) for rows in self.users.rows])
        self._before: dict[int, np.ndarray] = {}

    def average(
        self, turn: int, chosen: np.ndarray, before: Tensor, weights: Tensor, spans: Spans,
        average: Tensor,
    ) -> None:  # fmt: skip
        """Exchange a round's messages, and write the average of what was trained.

        Args:
            turn: the round, from 1.
            chosen: (C,) its users.
            before: (X,) what they began with.
            weights: (C, X) what they have.
            spans: who trained which numbers.
            average: (X,) where the averages go; what nobody trained is left there.
        """
        sent = weights if self.noise is None else self._noisy(turn, chosen, before, weights)
        counts = self._counts[chosen]
        if self.masked:
            self._enter_broadcasts([turn], len(before))
            weighted = sent.double().cpu().numpy() * counts[:, None]
            owners = self.users.owners[chosen]
            total = self._secure.of(weighted, owners, turn, part="weights").total
            whole = torch.from_numpy(total / counts.sum()).to(before)
            for span, who in spans:
                if who.any():
                    average[span] = whole[span]
        else:
            for span, who in spans:
                if who.any():
                    own = sent[:, span] if who.all() else sent[torch.from_numpy(who), span]
                    average[span] = by_samples(own, counts[who])
            self._wait(turn, chosen, before, sent, spans[-1][1])
        if self.masked and self.outputs and spans[-1][1].any():
            moved = (average - before)[-self.outputs :].cpu().numpy()
            self._read.append((np.tile(moved, (len(chosen), 1)), chosen))

    def _noisy(self, turn: int, chosen: np.ndarray, before: Tensor, weights: Tensor) -> Tensor:
        noise = self.noise
        updates = clip_rows((weights - before).cpu().numpy(), noise.clip_norm)
        for place, user in enumerate(chosen.tolist()):
            draws = stream(noise.seed, "update_noise", turn, user)
            updates[place] += noise.std * draws.standard_normal(updates.shape[1], dtype=np.float32)
        return before + torch.from_numpy(updates).to(before)

    def _wait(
        self, turn: int, chosen: np.ndarray, before: Tensor, sent: Tensor, who: np.ndarray
    ) -> None:
        if self.outputs:
            self._before[turn] = before[-self.outputs :].cpu().numpy()
        self._waiting.append((turn, chosen, sent.cpu().numpy(), who))
        if len(self._waiting) == TOGETHER:
            self.settle()

    def settle(self) -> None:
        """Enter the messages that wait, and read what they say of their senders."""
        if not self._waiting:
            return
        turns, chosen, sent, who = zip(*self._waiting, strict=True)
        self._waiting.clear()
        users, values = np.concatenate(chosen), np.concatenate(sent)
        rounds = np.repeat(turns, [len(own) for own in chosen])
        self._enter_broadcasts(turns, values.shape[1])
        parts = {"weights": values.shape[1]}
        receipt = self.post.up(parts, self.users.owners[users], rounds, content=values)
        if self.outputs:
            before = np.stack([self._before.pop(turn) for turn in turns])
            moved = receipt.values[:, -self.outputs :] - before[np.searchsorted(turns, rounds)]
            trained = np.concatenate(who)
            self._read.append((moved[trained], users[trained]))

    def _enter_broadcasts(self, turns: Sequence[int], numbers: int) -> None:
        self.post.broadcast({"weights": numbers}, np.array(turns))

    def leaked(self) -> dict[str, float]:
        """Return how well the adversary read groups; nothing where no discriminator was trained."""
        self.settle()
        if not sum(len(users) for _, users in self._read):
            return {}
        moved, users = (np.concatenate(own) for own in zip(*self._read, strict=True))
        return leak(moved, users, self.users.group)
