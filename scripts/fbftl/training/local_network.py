"""A network whose clients train for local epochs: what `learners.local` makes."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import UserError
from fbftl.training.batches import Round
from fbftl.training.curves import selected_epoch
from fbftl.training.local import train_clients
from fbftl.training.local_updates import (
    FEDAVG,
    Hooks,
    LocalPlan,
    LocalUpdate,
    SplitModel,
    Trained,
    flattened,
    set_flat,
)
from fbftl.training.measures import ExtraMeasures, Series
from fbftl.training.network import TrainedNetwork, evaluate
from fbftl.training.samples import TrainingData, by_domain


class LocalNetwork(TrainedNetwork):
    """The global network, with what its clients make of it in a round.

    Args:
        split_model: on the training device; their parameters are those that are trained.
        training_data: what it trains on.
        plan: how clients train.
        seed: the repetition's seed.
        hooks: what is different from FedAvg.
    """

    def __init__(
        self,
        split_model: SplitModel,
        training_data: TrainingData,
        plan: LocalPlan,
        seed: int,
        hooks: Hooks = FEDAVG,
    ) -> None:
        super().__init__(split_model.whole, training_data)
        self.split_model, self.plan, self.hooks = split_model, plan, hooks
        self.seed = seed
        self._latest: dict[int, Tensor] = {}

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Add the round to the curves, and keep the weights that would be chosen by now."""
        super().end_epoch(losses)
        rule = self.training_data.training.selection
        if selected_epoch(self.curves, rule) == len(self.curves.test):
            self.chosen = self.weights()

    def restore(self) -> None:
        """Go back to the weights of the chosen round."""
        self.set_weights(self.chosen)

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return the accuracy in each domain, if there are domains."""
        if self.training_data.test.domain is None:
            return ExtraMeasures()
        series = {"domain_accuracy": Series("share", by="domain")}
        return ExtraMeasures(
            lists={"domain_accuracy": self.in_domains(self.model, epoch)}, series=series
        )

    def in_domains(self, model: Callable[[Tensor], Tensor], epoch: int) -> list[float]:
        """Return a model's test accuracy in each domain, 0 if it had diverged at its epoch."""
        test, lost = self.training_data.test, self.curves.loss[epoch - 1] is None
        parts = by_domain(test, np.arange(len(test.labels)))
        return [
            0.0 if lost or not len(domain_rows) else evaluate(model, test, domain_rows).accuracy
            for domain_rows in parts
        ]

    @property
    def client_floats(self) -> int:
        """Numbers of the first half."""
        return sum(parameter.numel() for parameter in self.split_model.front.parameters())

    @cached_property
    def crossing_shape(self) -> torch.Size:
        """Shape of what one sample has at the boundary."""
        with torch.no_grad():
            return self.split_model.front(self.training_data.samples.at(np.arange(2)).inputs)[
                0
            ].shape

    def tested(self, between: Callable[[Tensor], Tensor]) -> float:
        """Return the accuracy on the test split with something done between the halves."""
        front, rest, test = self.split_model.front, self.split_model.rest, self.training_data.test
        rows = np.arange(len(test.labels))
        return evaluate(lambda inputs: rest(between(front(inputs))), test, rows).accuracy

    def train(self, round_: Round) -> Trained | None:
        """Train the clients of a round from the global weights; None if there are none."""
        local_updates = [
            LocalUpdate(self.seed, round_.number, int(client), rows[present])
            for client, rows, present in zip(
                round_.clients, round_.rows, round_.present, strict=True
            )
        ]
        if not local_updates:  # Poisson sampling may take nobody
            return None
        trained = train_clients(
            self.split_model, self.training_data.samples, local_updates, self.plan, self.hooks
        )
        self._latest = {
            update.client: client_weights
            for update, client_weights in zip(local_updates, trained.weights, strict=True)
        }
        return trained

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round that was trained: its weights."""
        return self._latest[int(round_.clients[0])].cpu().numpy()

    def weights(self) -> Tensor:
        """Return a copy of the global weights, flat (X,)."""
        return flattened(self.parameters)

    def set_weights(self, weights: Tensor) -> None:
        """Make these (X,) the global weights."""
        set_flat(self.parameters, weights)

    @torch.no_grad()
    def represented(self, rows: np.ndarray) -> np.ndarray:
        """Return what the network's first half makes of some samples (n,), (n, width)."""
        return (
            self.split_model.front(self.training_data.samples.at(rows).inputs)
            .flatten(1)
            .cpu()
            .numpy()
        )

    @torch.no_grad()
    def take_over(self, model: Mapping[str, Tensor], whole_front: bool = False) -> None:
        """Make a source model's parameters the global ones, where a layer has the same shape.

        Raises:
            UserError: if no layer has, or not the whole first half where that is asked for.
        """
        parameters = self.split_model.named_parameters
        taken = {
            name
            for name in parameters
            if name in model and model[name].shape == parameters[name].shape
        }
        front = {name for name, _ in self.split_model.front.named_parameters()}
        if not taken or (whole_front and not front <= taken):
            raise UserError(
                "a source model has other layers than the clients' network before its cut; give "
                "source_models of the task the network that the setting's axis network names"
            )
        for name in taken:
            parameters[name].copy_(model[name])
