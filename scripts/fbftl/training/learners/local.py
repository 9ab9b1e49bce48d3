"""Build the network and the samples of a run with local epochs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.models.modes import couples_samples
from fbftl.study.job import Training
from fbftl.training import batches
from fbftl.training.batches import Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import FEDAVG, Hooks, LocalPlan, SplitModel
from fbftl.training.optimisers import ANNEALING
from fbftl.training.passes import passes_of
from fbftl.training.samples import TrainingData, by_domain
from fbftl.training.tasks.task import ClientSamples, Repetition


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
            hooks = replace(hooks, logits=masking(self._classes_held(), ABSENT[absent]))
        return hooks

    def prepare(self, network: nn.Module) -> None:
        """Let a network normalise as the training values say.

        Raises:
            UserError: if a domain has one sample to evaluate, which has no statistics.
        """
        # For what it does to the normalisation: local epochs have passes of their own.
        passes_of(self.training, self.repetition.seed, network)
        if not couples_samples(network):
            return
        test = self.training_data.test
        evaluated = {
            "test": by_domain(test, np.arange(len(test.labels))),
            "held-out": by_domain(self.training_data.samples, self.training_data.validation),
        }
        for which, parts in evaluated.items():
            if 1 in map(len, parts):
                raise UserError(
                    f"a domain has one {which} sample, of which batch normalisation makes "
                    "nothing; give more of them, or training.batch_norm: frozen"
                )

    def _classes_held(self) -> Tensor:
        """Return which classes the client of each sample holds, (n, N) booleans."""
        labels = self.training_data.samples.labels
        holds = torch.ones(len(labels), self.classes, dtype=torch.bool, device=labels.device)
        for rows in self.repetition.clients:
            positions = torch.from_numpy(rows).to(labels.device)
            holds[positions] = torch.bincount(labels[positions], minlength=self.classes) > 0
        return holds


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
    training_data.prepare(split_model.whole)
    return of(
        split_model,
        training_data.by_rounds(rounds),
        training_data.plan,
        repetition.seed,
        training_data.hooks(hooks),
    )
