"""A network whose clients train for local epochs: a `LocalLearner` of `tasks.task`."""

import numpy as np
from torch import Tensor

from fbftl.training.batches import Round
from fbftl.training.local import (
    FEDAVG,
    Halves,
    Hooks,
    LocalPlan,
    Trained,
    Visit,
    flattened,
    set_flat,
    train_clients,
)
from fbftl.training.network import Lessons, TrainedNetwork


class LocalNetwork(TrainedNetwork):
    """The global network, with what its clients make of it in a round.

    Args:
        halves: on the training device; their parameters are those that are trained.
        lessons: what it trains on.
        plan: how clients train.
        seed: the repetition's seed.
        hooks: what is different from FedAvg.
    """

    def __init__(
        self,
        halves: Halves,
        lessons: Lessons,
        plan: LocalPlan,
        seed: int,
        hooks: Hooks = FEDAVG,
    ) -> None:
        super().__init__(halves.whole, lessons)
        self.halves, self.plan, self.hooks = halves, plan, hooks
        self.seed = seed
        self._latest: dict[int, Tensor] = {}

    def train(self, one: Round) -> Trained | None:
        """Train the clients of a round from the global weights; None if there are none."""
        visits = [
            Visit(one.turn, int(client), rows[present])
            for client, rows, present in zip(one.clients, one.rows, one.present, strict=True)
        ]
        if not visits:  # Poisson sampling may take nobody
            return None
        trained = train_clients(
            self.halves, self.lessons.samples, visits, self.plan, self.seed, self.hooks
        )
        self._latest = {v.client: own for v, own in zip(visits, trained.weights, strict=True)}
        return trained

    def own(self, one: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round that was trained: its weights."""
        return self._latest[int(one.clients[0])].cpu().numpy()

    def weights(self) -> Tensor:
        """Return a copy of the global weights, flat (X,)."""
        return flattened(self.parameters)

    def set_weights(self, weights: Tensor) -> None:
        """Make these (X,) the global weights."""
        set_flat(self.parameters, weights)
