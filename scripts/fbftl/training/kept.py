"""Networks that clients keep: every client has its own weights, in its own architecture or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.training.local import (
    FEDAVG,
    Halves,
    Hooks,
    LocalPlan,
    Visit,
    flattened,
    set_flat,
    train_clients,
)
from fbftl.training.network import LabelledSamples, evaluate


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
        plan = self.plan if epochs is None else replace(self.plan, epochs=epochs)
        own = replace(hooks, start=lambda visit: self.weights[visit.client])
        losses = []
        for shared in dict.fromkeys(map(id, self.halves)):
            visits = [
                Visit(turn, client, rows[client])
                for client, halves in enumerate(self.halves)
                if id(halves) == shared and len(rows[client])
            ]
            if not visits:
                continue
            halves = self.halves[visits[0].client]
            trained = train_clients(halves, samples, visits, plan, self.seed, own)
            for visit, weights in zip(visits, trained.weights, strict=True):
                self.weights[visit.client] = weights
            losses.append(trained.losses)
        return torch.cat(losses).mean()

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
