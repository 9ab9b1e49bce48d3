"""Rounds of gradient methods: updates encoded with error feedback, lost, averaged, and applied.

In a round U·C clients each send the sum g_u of their per-sample gradients and their count K_u;
the server steps with the average of the sums that arrive over the counts.

Where only the arrival of updates matters, the server's average is the plain batch gradient over
what arrives (`arrivals`): the updates of the first round are made for their digests, all others
are counted. Where something is done to each update, it is encoded, and the average is over what
the server decodes (`average`).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.post import Parts, Post, Receipt
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.codec import Compression, NotFiniteError, encode
from fbftl.messages.encoded import (
    Encoded,
    EncodedRows,
    MessageSample,
    digested_messages,
    encode_rows,
    mean,
    message_sample,
)
from fbftl.privacy.noise import add_relative, clip_rows, noisy_sum, relative_range
from fbftl.training.batches import Round, Rounds
from fbftl.training.tasks.task import Learner

ClientMessage = Callable[[Round], np.ndarray]
"""From a round of one client alone to the message (X,) that it sends."""

Releasing = Callable[[Round, np.ndarray], EncodedRows]
"""What a round's clients do to their updates (C, X) before these go on the link."""

Averaging = Callable[[Round, Receipt], np.ndarray]
"""How the server averages what arrives of a round: a mean gradient (X,)."""


def compressing(compression: Compression, memory: np.ndarray | None) -> Releasing:
    """Return what compresses updates, with error feedback (Eq. 20-21) or without.

    Args:
        compression: q and r.
        memory: (U, X) float32, one row per client, changed in place; None for no feedback.
    """

    def compressed(round_: Round, updates: np.ndarray) -> EncodedRows:
        if memory is None:
            return encode_rows(updates, compression)
        return compress_with_feedback(updates, memory, round_.clients, compression)

    return compressed


def relatively_noisy(sigma: float, compression: Compression, seed: int) -> Releasing:
    """Return what puts updates under the paper's relative noise (Sec. V-B), as printed.

    Its R is without bound as an update nears a constant, so that the noise on all others is too. A
    client that the network fits beyond what its numbers hold has a gradient of zeros: training has
    diverged.
    """

    def noised(round_: Round, updates: np.ndarray) -> EncodedRows:
        if not np.ptp(updates, axis=1).all():
            raise NotFiniteError("an update is constant, so that relative noise has no bound")
        draws = stream(seed, "update_noise", round_.number)
        noise = draws.standard_normal(updates.shape, dtype=np.float32)
        noisy = add_relative(
            updates,
            noise,
            sigma=sigma,
            relative_range=relative_range(updates, int(round_.counts.max())),
        )
        return encode_rows(noisy, compression)

    return noised


def clipping(clip_norm: float) -> Releasing:
    """Return what clips each client's update to L2 norm c before it is sent."""

    def clipped(_: Round, updates: np.ndarray) -> EncodedRows:
        return encode_rows(clip_rows(updates, clip_norm), Compression())

    return clipped


def mean_of_arrivals(round_: Round, receipt: Receipt) -> np.ndarray:
    """Return the sum of the updates that arrive over their samples."""
    return receipt.arrived.sum(axis=0) / max(int(round_.counts[receipt.arrives].sum()), 1)


def noisy_mean(noise_stds: np.ndarray, samples_per_round: float, seed: int) -> Averaging:
    """Return DP-FedAvg's average of clipped updates: one noise on their sum, a fixed divisor.

    Args:
        noise_stds: (T,) standard deviation of each round's noise.
        samples_per_round: expected samples of a round; the real number would leak who took part.
        seed: the repetition's seed.
    """

    def averaged(round_: Round, receipt: Receipt) -> np.ndarray:
        std = float(noise_stds[round_.index])
        total = noisy_sum(receipt.arrived, noise_std=std, seed=seed, round_number=round_.number)
        return total / np.float32(samples_per_round)

    return averaged


@dataclass(frozen=True)
class Traffic:
    """What clients and server of a gradient method send each other, in floats by part.

    update: of one client's message, given its number of samples K_u.
    model: of the broadcast that begins each round.
    answer: of the answer to one client's message, given its K_u; None under most methods.
    frozen: of the part of the network that is sent before the first round and not trained; None
        where there is none.
    by_client: of what each client of a round gets and sends back, where they hold different parts
        of a model; then there is no broadcast, and `update` and `model` have no effect.
    message: the message (X,) of the one client of a round that was trained; None where it is the
        learner's.
    """

    update: Callable[[np.ndarray], Parts]
    model: Parts
    answer: Callable[[np.ndarray], Parts] | None = None
    frozen: int | None = None
    by_client: Callable[[Round], Parts] | None = None
    message: ClientMessage | None = None


@dataclass
class Uplink:
    """One repetition's rounds of messages.

    post: through which they go.
    exchanged: what they hold.
    owners: client ids of the client numbers of a round.
    client_message: gives a client's message; None if those of the first round are not made either.
    releasing: what clients do to their updates; None where these are never made one by one.
    averaging: how the server averages.
    """

    post: Post
    exchanged: Traffic
    owners: np.ndarray
    client_message: ClientMessage | None = None
    releasing: Releasing | None = None
    averaging: Averaging = mean_of_arrivals
    _messages: list[int] = field(default_factory=list)
    _lost: int = 0
    _floats: int = 0
    _sample: list[MessageSample] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.exchanged.frozen is not None:
            self.post.deploy(self.exchanged.frozen)

    def arrivals(self, round_: Round) -> np.ndarray:
        """Exchange a round's messages, to which nothing is done; return which arrive (C,)."""
        first = None
        if round_.number == 1 and self.client_message is not None:
            alone = (
                self.client_message(round_.only(index)) for index in range(len(round_.clients))
            )
            first = digested_messages(encode(values) for values in alone)
        return self._exchange(round_, first).arrives

    def averaged(self, round_: Round, updates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Exchange a round's updates (C, X); return their average (X,) and which arrive (C,).

        A round without clients sends nothing and is averaged as any other: under DP-FedAvg its
        noise hides that nobody took part.
        """
        releasing = required(self.releasing)
        sent = releasing(round_, updates) if len(updates) else EncodedRows(updates, updates, [])
        # Rounds 1, 2, 4, ... are measured: updates change early.
        if sent.messages and round_.number & (round_.number - 1) == 0:
            self._sample.append(
                message_sample(sent.wanted[0], sent.values[0], self.post.compression)
            )
        receipt = self._exchange(round_, sent)
        return self.averaging(round_, receipt), receipt.arrives

    def _exchange(self, round_: Round, content: EncodedRows | Encoded | None) -> Receipt:
        """Send the model, the clients' messages, and what they are answered."""
        client = self.owners[round_.clients]
        if self.exchanged.by_client is None:
            parts = self.exchanged.update(round_.counts)
            self.post.broadcast(self.exchanged.model, round_.number)
        else:
            parts = self.exchanged.by_client(round_)
            self.post.down(parts, client, round_.number)
        receipt = self.post.up(parts, client, round_.number, content=content)
        if self.exchanged.answer is not None:
            self.post.answer(self.exchanged.answer(round_.counts), receipt)
        self.count(receipt, parts)
        return receipt

    def again(self, round_: Round, down: Parts, up: Parts) -> np.ndarray:
        """Exchange a further message in a round that has had its first; return which arrive (C,).

        Args:
            round_: the round.
            down: floats of what the server sends its clients by part.
            up: floats of what each of them answers by part.
        """
        self.post.broadcast(down, round_.number)
        receipt = self.post.up(up, self.owners[round_.clients], round_.number)
        self.count(receipt, up)
        return receipt.arrives

    def count(self, receipt: Receipt, parts: Parts) -> None:
        """Count messages of a round: what they hold by part, and what became of them."""
        count = len(receipt.client)
        self._messages += [0] * (receipt.round - len(self._messages))
        self._messages[receipt.round - 1] += count
        self._floats += sum(int(np.broadcast_to(floats, count).sum()) for floats in parts.values())
        self._lost += int((~receipt.arrives).sum())

    def totals(self, rounds: int) -> dict[str, float | None]:
        """Return how many messages were sent and lost, and what was exchanged up to a round.

        Nothing but bits is measured where updates are not made.

        Args:
            rounds: number of the last round that counts; 0 for none.
        """
        messages, until = sum(self._messages), range(rounds + 1)
        return {
            "messages": messages,
            "messages_lost": self._lost,
            "upload_batches": sum(self._messages[:rounds]),
            "numbers_per_batch": self._floats / messages if messages else 0.0,
            **self.post.totals(until),
            **mean(self._sample),
        }


def memory(clients: int, width: int) -> np.ndarray:
    """Return m_{u,1} = 0 for every client, (clients, width) float32, in RAM."""
    return np.zeros((clients, width), dtype=np.float32)


def compress_with_feedback(
    gradients: np.ndarray, memory: np.ndarray, clients: np.ndarray, compression: Compression
) -> EncodedRows:
    """Compress a round's gradients and update the memories of its clients in place.

    g' = Q_q(S_r(g + m)), Eq. (20); then m becomes g + m - g', Eq. (21). The memory is what the
    client did not send; it does not learn whether the message arrived.

    Args:
        gradients: (participants, X) float32, g_u of each client in the round.
        memory: (U, X) float32, m of every client; only the participants' rows change.
        clients: (participants,) row of each participant in `memory`, no client twice.
        compression: q and r.

    Raises:
        ValueError: if a client is named twice, or a gradient holds NaN or infinity.
    """
    if len(np.unique(clients)) != len(clients):
        raise ValueError("a client takes part in a round at most once")
    wanted = memory[clients]
    wanted += gradients
    sent = encode_rows(wanted, compression)
    for client, whole, sent_values in zip(clients, wanted, sent.values, strict=True):
        np.subtract(whole, sent_values, out=memory[client])
    return sent


def as_gradient(learner: Learner, mean: np.ndarray) -> list[Tensor]:
    """Return an averaged update (X,) as a gradient, a tensor per parameter of a learner."""
    parameters = learner.parameters
    parts = torch.from_numpy(mean).to(parameters[0].device)
    sizes = [parameter.numel() for parameter in parameters]
    return [
        part.view_as(parameter)
        for part, parameter in zip(parts.split(sizes), parameters, strict=True)
    ]


def by_steps(
    learner: Learner, step: Callable[[Round], Tensor], schedule: Iterable[Rounds]
) -> list[int]:
    """Train a learner in place by rounds; return how many there were by the end of each epoch.

    Once an update cannot be sent because it is not finite, there are no more rounds.

    Args:
        learner: what is trained.
        step: takes a round's step and returns its losses.
        schedule: the rounds of each epoch.
    """
    ends = [0]
    for epoch in schedule:
        losses: list[Tensor] = []
        for round_ in () if learner.diverged else epoch.single(ends[-1]):
            try:
                losses.append(step(round_))
            except NotFiniteError:
                losses.append(torch.tensor(math.nan))
                break
        learner.end_epoch(losses)
        ends.append(ends[-1] + len(losses))
    return ends[1:]
