"""A network whose clients train for local epochs: a `LocalLearner` of `tasks.task`."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import UserError
from fbftl.training.batches import Round
from fbftl.training.curves import selected_epoch
from fbftl.training.local import train_clients
from fbftl.training.measures import Further, Series
from fbftl.training.network import Lessons, TrainedNetwork, by_domain, evaluate
from fbftl.training.visits import (
    FEDAVG,
    Halves,
    Hooks,
    LocalPlan,
    Trained,
    Visit,
    flattened,
    set_flat,
)


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

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Add the round to the curves, and keep the weights that would be chosen by now."""
        super().end_epoch(losses)
        rule = self.lessons.training.selection
        if selected_epoch(self.curves, rule) == len(self.curves.test):
            self.chosen = self.weights()

    def further(self, epoch: int) -> Further:
        """Go back to the chosen round and return what is measured there."""
        self.set_weights(self.chosen)
        return self.at_chosen(epoch)

    def at_chosen(self, epoch: int) -> Further:
        """Return the accuracy in each domain, if there are domains."""
        if self.lessons.test.domain is None:
            return Further()
        series = {"domain_accuracy": Series("share", by="domain")}
        return Further(lists={"domain_accuracy": self.in_domains(self.model, epoch)}, series=series)

    def in_domains(self, model: Callable[[Tensor], Tensor], epoch: int) -> list[float]:
        """Return a model's test accuracy in each domain, 0 if it had diverged at its epoch."""
        test, lost = self.lessons.test, self.curves.loss[epoch - 1] is None
        parts = by_domain(test, np.arange(len(test.labels)))
        return [0.0 if lost or not len(own) else evaluate(model, test, own)[0] for own in parts]

    @property
    def client_floats(self) -> int:
        """Numbers of the first half."""
        return sum(parameter.numel() for parameter in self.halves.front.parameters())

    @cached_property
    def crossing_shape(self) -> torch.Size:
        """Shape of what one sample has at the boundary."""
        with torch.no_grad():
            return self.halves.front(self.lessons.samples.at(np.arange(2)).inputs)[0].shape

    def tested(self, between: Callable[[Tensor], Tensor]) -> float:
        """Return the accuracy on the test split with something done between the halves."""
        front, rest, test = self.halves.front, self.halves.rest, self.lessons.test
        rows = np.arange(len(test.labels))
        return evaluate(lambda inputs: rest(between(front(inputs))), test, rows)[0]

    def train(self, one: Round) -> Trained | None:
        """Train the clients of a round from the global weights; None if there are none."""
        visits = [
            Visit(self.seed, one.turn, int(client), rows[present])
            for client, rows, present in zip(one.clients, one.rows, one.present, strict=True)
        ]
        if not visits:  # Poisson sampling may take nobody
            return None
        trained = train_clients(self.halves, self.lessons.samples, visits, self.plan, self.hooks)
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

    @torch.no_grad()
    def represented(self, rows: np.ndarray) -> np.ndarray:
        """Return what the network's first half makes of some samples (n,), (n, width)."""
        return self.halves.front(self.lessons.samples.at(rows).inputs).flatten(1).cpu().numpy()

    @torch.no_grad()
    def take_over(self, model: Mapping[str, Tensor], whole_front: bool = False) -> None:
        """Make a source model's parameters the global ones, where a layer has the same shape.

        Raises:
            UserError: if no layer has, or not the whole first half where that is asked for.
        """
        own = self.halves.named_parameters
        taken = {name for name in own if name in model and model[name].shape == own[name].shape}
        front = {name for name, _ in self.halves.front.named_parameters()}
        if not taken or (whole_front and not front <= taken):
            raise UserError(
                "a source model has other layers than the clients' network before its cut; train "
                "sources.network of the task under the setting's axis network"
            )
        for name in taken:
            own[name].copy_(model[name])
