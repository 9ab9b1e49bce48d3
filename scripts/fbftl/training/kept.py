"""Networks that clients keep: every client has its own weights, in its own architecture or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.training.local import train_clients
from fbftl.training.network import LabelledSamples, evaluate
from fbftl.training.visits import (
    FEDAVG,
    Halves,
    Hooks,
    LocalPlan,
    Visit,
    flattened,
    set_flat,
)


@dataclass
class KeptModels:
    """The networks of C clients.

    halves: each client's architecture; clients that share one share the object.
    plan: how clients train.
    seed: the repetition's seed.
    weights: each client's parameters (X_u,), in the order of its network's.
    """

    halves: Sequence[Halves]
    plan: LocalPlan
    seed: int
    weights: list[Tensor]

    @classmethod
    def begun(cls, halves: Sequence[Halves], plan: LocalPlan, seed: int) -> "KeptModels":
        """Return networks that begin with the values that their architectures have."""
        return cls(halves, plan, seed, [flattened(own.parameters) for own in halves])

    def copy(self) -> "KeptModels":
        """Return networks that are trained apart from these."""
        return replace(self, weights=list(self.weights))

    def train(
        self, samples: LabelledSamples, rows: Sequence[np.ndarray], turn: int,
        hooks: Hooks = FEDAVG, epochs: int | None = None,
    ) -> Tensor:  # fmt: skip
        """Train every client's network on its rows and keep what comes of it.

        Args:
            samples: what the rows are of.
            rows: of each client; who has none trains nothing.
            turn: the round, from 1; with seed and client it decides the mini-batches.
            hooks: what is different.
            epochs: passes over the rows; the plan's if None.

        Returns:
            The mean of the clients' losses.
        """
        return train_side_by_side([self], samples, [rows], turn, hooks, epochs)[0]

    def network(self, client: int) -> Halves:
        """Return a client's network with its weights, until another one's is asked for."""
        set_flat(self.halves[client].parameters, self.weights[client])
        return self.halves[client]

    @torch.no_grad()
    def logits(self, client: int, inputs: Tensor) -> Tensor:
        """Return what a client's network says of inputs (n, ...), (n, N)."""
        return self.network(client).whole(inputs)

    def accuracies(self, tests: Sequence[LabelledSamples]) -> list[float]:
        """Return each client's accuracy on its own test samples."""
        return [
            evaluate(self.network(client).whole, own, np.arange(len(own.labels)))[0]
            for client, own in enumerate(tests)
        ]


def train_side_by_side(
    several: Sequence[KeptModels], samples: LabelledSamples,
    rows: Sequence[Sequence[np.ndarray]], turn: int, hooks: Hooks = FEDAVG,
    epochs: int | None = None,
) -> Tensor:  # fmt: skip
    """Train clients of several repetitions, which have the same architectures, as each would alone.

    Args:
        several: the networks of R repetitions.
        samples: what the rows are of, in all of them.
        rows: of each repetition's clients; who has none trains nothing.
        turn: the round, from 1; with seed and client it decides the mini-batches.
        hooks: what is different.
        epochs: passes over the rows; the plan's if None.

    Returns:
        The mean of the clients' losses in each repetition, (R,).
    """
    first = several[0]
    plan = first.plan if epochs is None else replace(first.plan, epochs=epochs)
    start = replace(hooks, start=lambda visit: several[visit.slot].weights[visit.client])
    losses: list[list[Tensor]] = [[] for _ in several]
    networks: dict[int, Halves] = {}
    visits: dict[int, list[Visit]] = {}
    for place, own in enumerate(several):
        begun = {id(halves): client for client, halves in reversed([*enumerate(own.halves)])}
        for client, halves in enumerate(own.halves):
            if len(rows[place][client]):
                network = begun[id(halves)]
                networks.setdefault(network, halves)
                visit = Visit(own.seed, turn, client, rows[place][client], place)
                visits.setdefault(network, []).append(visit)
    for network, theirs in visits.items():
        trained = train_clients(networks[network], samples, theirs, plan, start)
        for visit, weights, loss in zip(theirs, trained.weights, trained.losses, strict=True):
            several[visit.slot].weights[visit.client] = weights
            losses[visit.slot].append(loss)
    return torch.stack([torch.stack(own).mean() for own in losses])
