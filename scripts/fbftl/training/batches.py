"""Mini-batches as arrays of row numbers, for all seeds of a job at once.

Every schedule yields one `Epoch` per evaluation: the rows of each step and their weights in the
step's mean. Rows that a step leaves out have weight 0.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy.noise import poisson_sample


@dataclass(frozen=True)
class Epoch:
    """The steps between two evaluations.

    rows: (T, S, B) integer row numbers of T steps, S seeds, B rows per step.
    weights: (T, S, B) float32; every step's weights sum to 1, or to 0 if nothing arrived.
    """

    rows: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, batches: Sequence[Iterable[np.ndarray]], steps: int, most: int) -> "Epoch":
        """Return the steps of batches that may be of other lengths.

        Args:
            batches: of each of S seeds, rows of each step, `steps` of them at most.
            steps: T.
            most: rows B of the longest batch.
        """
        shape = (steps, len(batches), most)
        epoch = cls(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float32))
        for index, of_seed in enumerate(batches):
            for step, rows in enumerate(of_seed):
                epoch.rows[step, index, : len(rows)] = rows
                epoch.weights[step, index, : len(rows)] = 1 / len(rows)
        return epoch


def shuffled(
    rows: Sequence[np.ndarray], batch: int, steps: int, epochs: int, seeds: Sequence[int]
) -> Iterator[Epoch]:
    """Yield batches that go through each seed's rows in a new order every pass.

    A pass ends where the rows end, also inside a batch, so every batch is full. A seed with
    fewer rows than a batch uses all of them at every step.

    Args:
        rows: the training rows of each seed.
        batch: rows per step.
        steps: steps per epoch, the same for every amount of data.
        epochs: epochs to yield.
        seeds: one seed per entry of `rows`.
    """
    cycles = [
        Cycle(seed_rows, stream(seed, "batches"))
        for seed_rows, seed in zip(rows, seeds, strict=True)
    ]
    for _ in range(epochs):
        chosen = np.zeros((steps, len(seeds), batch), dtype=np.int64)
        weights = np.zeros((steps, len(seeds), batch), dtype=np.float32)
        for s, cycle in enumerate(cycles):
            size = min(batch, len(cycle.rows))
            if size:
                chosen[:, s, :size] = cycle.take(steps * size).reshape(steps, size)
                weights[:, s, :size] = 1 / size
        yield Epoch(chosen, weights)


def reshuffled(
    rows: Sequence[np.ndarray], plr: float, batch: int, steps: int, epochs: int,
    seeds: Sequence[int],
) -> Iterator[Epoch]:  # fmt: skip
    """Yield the public script's batches: some positions of a pass are lost, its order is not.

    The script drops the same positions of every pass, whole mini-batches, while its loader brings
    the samples in a new order, so that others are lost in the next pass and in the end nearly all
    are seen (audit row A2). Of few samples, which make one mini-batch, it loses none.

    Args:
        rows: the training rows of each seed.
        plr: packet loss rate, the share of a pass's positions that is lost, rounded down.
        batch: rows per step; the last of a pass may be fewer.
        steps: steps per epoch that something arrives in, as many as for all the data.
        epochs: epochs to yield.
        seeds: one seed per entry of `rows`.
    """
    arriving = [
        _arriving(seed_rows, plr, batch, seed) for seed_rows, seed in zip(rows, seeds, strict=True)
    ]
    for _ in range(epochs):
        yield Epoch.of([islice(batches, steps) for batches in arriving], steps, batch)


def positions_that_arrive(count: int, plr: float, seed: int) -> np.ndarray:
    """Tell which of a pass's positions arrive, (count,); as in the script whole ones are lost."""
    return stream(seed, "positions").permutation(np.arange(count) >= int(count * plr))


def _arriving(rows: np.ndarray, plr: float, batch: int, seed: int) -> Iterator[np.ndarray]:
    """Yield the mini-batches of rows, shuffled every pass, at the positions that arrive."""
    starts = np.arange(0, len(rows), batch)
    arrive = starts[positions_that_arrive(len(starts), plr, seed)]
    order = stream(seed, "batches")
    while len(arrive):
        shuffled_rows = order.permutation(rows)
        for start in arrive:
            yield shuffled_rows[start : start + batch]


@dataclass(frozen=True)
class Round:
    """What takes part in one round.

    index: of the round, from 0 over all epochs.
    clients: (C,) clients.
    rows: (C, K) row numbers, K the most samples of any client.
    present: (C, K) booleans, False where a client has fewer samples.
    """

    index: int
    clients: np.ndarray
    rows: np.ndarray
    present: np.ndarray

    @property
    def number(self) -> int:
        """Its number as the ledger counts, from 1."""
        return self.index + 1

    @property
    def counts(self) -> np.ndarray:
        """Samples K_u of each client, (C,)."""
        return self.present.sum(axis=1)

    def only(self, place: int) -> "Round":
        """Return the round of one of its clients alone, without padding."""
        client_rows = self.rows[place][self.present[place]][None]
        here = self.clients[place : place + 1]
        return Round(self.index, here, client_rows, np.ones(client_rows.shape, dtype=bool))


@dataclass(frozen=True)
class Rounds:
    """The rounds of the gradient methods between two evaluations, for one seed.

    clients: (T, C) client of each place in T rounds, -1 for an empty place.
    rows: (T, C, K) row numbers, K the most samples of any client.
    present: (T, C, K) booleans, False where a client has fewer samples.
    """

    clients: np.ndarray
    rows: np.ndarray
    present: np.ndarray

    def __len__(self) -> int:
        return len(self.clients)

    def single(self, first: int = 0) -> Iterator[Round]:
        """Yield one round after the other, of indices from `first` on, empty places left out."""
        parts = zip(self.clients, self.rows, self.present, strict=True)
        for index, (clients, rows, present) in enumerate(parts, first):
            taken = clients >= 0
            yield Round(index, clients[taken], rows[taken], present[taken])


def rounds(
    clients: Sequence[np.ndarray], clients_per_round: int, epochs: int, seed: int
) -> Iterator[Rounds]:
    """Yield rounds of U·C clients, each with all its samples; an epoch visits every client once.

    The last round of an epoch may be smaller.

    Args:
        clients: the rows of each client.
        clients_per_round: clients U·C per round.
        epochs: epochs to yield.
        seed: the repetition's seed.
    """
    order = stream(seed, "batches")
    for _ in range(epochs):
        shuffled_clients = order.permutation(len(clients))
        starts = range(0, len(clients), clients_per_round)
        yield laid_out([shuffled_clients[s : s + clients_per_round] for s in starts], clients)


def picked_rounds(
    clients: Sequence[np.ndarray], clients_per_round: int, rounds: int, seed: int
) -> Iterator[Rounds]:
    """Yield rounds of clients picked anew each, with all their samples; every one stands alone.

    Args:
        clients: the rows of each client.
        clients_per_round: clients per round; all of them where they are fewer.
        rounds: rounds to yield.
        seed: the repetition's seed.
    """
    for round_index in range(rounds):
        yield laid_out([picked(len(clients), clients_per_round, round_index, seed)], clients)


def picked(clients: int, clients_per_round: int, round_index: int, seed: int) -> np.ndarray:
    """Return the clients of the round of an index, of so many."""
    return stream(seed, "participation", round_index).permutation(clients)[:clients_per_round]


def most_participations(clients: int, clients_per_round: int, rounds: int, seed: int) -> int:
    """Return in how many of the rounds that client takes part who does most often."""
    participants = [
        picked(clients, clients_per_round, round_number, seed) for round_number in range(rounds)
    ]
    return int(np.bincount(np.concatenate(participants)).max())


def drawn_rounds(
    clients: Sequence[np.ndarray], draw_count: int, clients_per_round: int, rounds: int, seed: int
) -> Iterator[Rounds]:
    """Yield rounds of clients that each draw samples anew from those of all, none of them twice.

    Args:
        clients: the rows of each client.
        draw_count: samples that a client draws in a round.
        clients_per_round: clients per round; all of them where they are fewer.
        rounds: rounds to yield.
        seed: the repetition's seed.

    Raises:
        UserError: if there are fewer samples.
    """
    pool = np.concatenate(clients)
    if draw_count > len(pool):
        raise UserError(
            f"clients are to draw {draw_count} samples in a round of {len(pool)}; give "
            f"resampled_per_round at most {len(pool)}"
        )
    nothing = pool[:0]
    for round_index, usual in enumerate(picked_rounds(clients, clients_per_round, rounds, seed)):
        picked = usual.clients[0]
        draws = {
            client: stream(seed, "drawn", round_index, client).choice(
                pool, draw_count, replace=False
            )
            for client in picked.tolist()
        }
        yield laid_out([picked], [draws.get(client, nothing) for client in range(len(clients))])


def poisson_rounds(
    clients: Sequence[np.ndarray], rate: float, steps: int, epochs: int, seed: int
) -> Iterator[Rounds]:
    """Yield rounds in which every client takes part with probability `rate`, as DP-FedAvg needs.

    Args:
        clients: the rows of each client.
        rate: fraction C of clients per round.
        steps: rounds per epoch.
        epochs: epochs to yield.
        seed: the repetition's seed.
    """
    for epoch in range(epochs):
        indices = range(epoch * steps, (epoch + 1) * steps)
        yield laid_out(
            [poisson_sample(seed, index, len(clients), rate) for index in indices], clients
        )


def laid_out(taking_part: Sequence[np.ndarray], clients: Sequence[np.ndarray]) -> Rounds:
    """Return rounds as padded arrays, given the clients of each and the rows of every client."""
    most = max(len(client_rows) for client_rows in clients)
    most_clients = max(1, *(len(chosen) for chosen in taking_part))
    shape = (len(taking_part), most_clients, most)
    rounds = Rounds(
        np.full(shape[:2], -1), np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
    )
    for index, chosen in enumerate(taking_part):
        rounds.clients[index, : len(chosen)] = chosen
        for position, client in enumerate(chosen):
            client_rows = clients[client]
            rounds.rows[index, position, : len(client_rows)] = client_rows
            rounds.present[index, position, : len(client_rows)] = True
    return rounds


def observed(schedule: Iterable[Epoch], seen: np.ndarray) -> Iterator[Epoch]:
    """Pass a schedule on and mark in `seen` (S, n) which rows every seed has trained on."""
    for epoch in schedule:
        _, seed, _ = np.nonzero(epoch.weights)
        seen[seed, epoch.rows[epoch.weights > 0]] = True
        yield epoch


def side_by_side(schedules: Sequence[Iterable[Epoch]]) -> Iterator[Epoch]:
    """Yield the epochs of several schedules with as many steps as one, for all their seeds.

    Returns:
        Epochs whose second axis holds the first schedule's seeds, then the second's, and so on.
    """
    for epochs in zip(*schedules, strict=True):
        yield Epoch(
            np.concatenate([epoch.rows for epoch in epochs], axis=1),
            np.concatenate([epoch.weights for epoch in epochs], axis=1),
        )


class Cycle:
    """Rows in a new random order every pass, taken any number at a time."""

    def __init__(self, rows: np.ndarray, order: np.random.Generator) -> None:
        self.rows = rows
        self.order = order
        self.left = rows[:0]

    def take(self, count: int) -> np.ndarray:
        """Return the next `count` rows, beginning new passes as needed."""
        passes = -(-max(count - len(self.left), 0) // len(self.rows))
        orders = [self.order.permutation(self.rows) for _ in range(passes)]
        ahead = np.concatenate([self.left, *orders])
        self.left = ahead[count:]
        return ahead[:count]
