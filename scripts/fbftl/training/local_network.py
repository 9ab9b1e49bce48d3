"""A network whose clients train for local epochs, made with the samples of a run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.study.job import Training
from fbftl.training import batches
from fbftl.training.batches import Round, Rounds
from fbftl.training.curves import ExtraMeasures, Series, selected_epoch
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
from fbftl.training.network import TrainedNetwork, evaluate
from fbftl.training.optimisers import ANNEALING
from fbftl.training.samples import LabelledInputs, TrainingData, by_domain, passes_of
from fbftl.training.tasks.task import ClientSamples, Repetition


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
            inputs = self.training_data.samples.at(np.arange(2)).inputs
            return self.split_model.front(inputs)[0].shape

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

    def represented(self, rows: np.ndarray) -> np.ndarray:
        """Return what the network's first half makes of some samples (n,), (n, width)."""
        return represented(self.split_model.front, self.training_data.samples.at(rows))[0]

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


@torch.no_grad()
def represented(front: nn.Module, samples: LabelledInputs) -> tuple[np.ndarray, np.ndarray]:
    """Return what a first half makes of samples, (n, width) float32, and their labels (n,)."""
    features = front(samples.inputs).flatten(1).float().cpu().numpy()
    return features, samples.labels.cpu().numpy()


@dataclass(frozen=True)
class LocalTrainingData:
    """What one repetition trains on for local epochs.

    training_data: samples and test split; its rounds are others.
    classes: number of classes N.
    """

    repetition: Repetition
    training_data: TrainingData
    classes: int

    @classmethod
    def of(cls, client_data: ClientSamples, repetition: Repetition) -> "LocalTrainingData":
        """Return what a repetition trains on of what the clients hold."""
        return cls(
            repetition,
            client_data.training_data(repetition, client_data.samples),
            client_data.classes,
        )

    @property
    def training(self) -> Training:
        """The job's training values."""
        return self.repetition.job.network_training

    def by_rounds(self, schedule: Iterable[Rounds] | None = None) -> TrainingData:
        """Return what it trains on, by rounds of clients picked anew unless it is told others."""
        repetition, training = self.repetition, self.training
        schedule = schedule or batches.picked_rounds(
            repetition.clients, training.clients_per_round, training.local_rounds, repetition.seed
        )
        return replace(self.training_data, schedule=schedule)

    @property
    def plan(self) -> LocalPlan:
        """How clients train in a round."""
        training = self.training
        epochs = getattr(self.repetition.job.setting, "local_epochs", 1)
        batch = getattr(self.repetition.job.setting, "local_batch", None) or training.local_batch
        return LocalPlan(epochs, batch, training, training.optimiser)

    def hooks(self, hooks: Hooks) -> Hooks:
        """Return hooks with what the training values ask for."""
        if (annealing := self.training.annealing) != "none":
            hooks = replace(hooks, rate=ANNEALING[annealing](self.training.local_rounds))
        if (absent := self.training.absent_classes) != "counted":
            labels = self.training_data.samples.labels
            holds = torch.ones(len(labels), self.classes, dtype=torch.bool, device=labels.device)
            for rows in self.repetition.clients:
                positions = torch.from_numpy(rows).to(labels.device)
                holds[positions] = torch.bincount(labels[positions], minlength=self.classes) > 0
            hooks = replace(hooks, logits=masking(holds, ABSENT[absent]))
        return hooks

    def prepare(self, network: nn.Module) -> None:
        """Let a network normalise as the training values say."""
        # For what it does to the normalisation: local epochs have passes of their own.
        passes_of(self.training, self.repetition.seed, network)


ABSENT = {"masked": float("-inf"), "zeroed": 0.0}
"""Logits of classes that a client lacks, by what the training values say of them."""


def masking(holds: Tensor, absent: float) -> Callable[[Tensor, np.ndarray], Tensor]:
    """Return what replaces logits (n, P N) of classes that a sample's client lacks.

    Args:
        holds: (samples, N) which classes the client of each sample holds.
        absent: their logit.
    """

    def masked(logits: Tensor, rows: np.ndarray) -> Tensor:
        holds_class = holds[torch.from_numpy(rows).to(holds.device)]
        return logits.masked_fill(
            ~holds_class.repeat(1, logits.shape[1] // holds_class.shape[1]), absent
        )

    return masked


def local_network(
    client_data: ClientSamples,
    repetition: Repetition,
    hooks: Hooks = FEDAVG,
    rounds: Iterable[Rounds] | None = None,
    of: Callable[..., Any] = LocalNetwork,
) -> Any:
    """Return the target network from random initial values, trained for local epochs.

    Args:
        client_data: what the clients hold.
        repetition: who takes part.
        hooks: what is different from FedAvg.
        rounds: by default clients are picked anew for each, with all their samples.
        of: the class of the learner, a `LocalNetwork`.
    """
    split_model = SplitModel(*client_data.target.random(repetition.job, repetition.seed))
    training_data = LocalTrainingData.of(client_data, repetition)
    hooks, by_rounds = training_data.hooks(hooks), training_data.by_rounds(rounds)
    training_data.prepare(split_model.whole)
    return of(split_model, by_rounds, training_data.plan, repetition.seed, hooks)
