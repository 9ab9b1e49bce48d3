"""Networks that clients keep: every client has its own weights, in its own architecture or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.training.local import train_clients
from fbftl.training.local_updates import (
    FEDAVG,
    Hooks,
    LocalPlan,
    LocalUpdate,
    SplitModel,
    flattened,
    set_flat,
)
from fbftl.training.network import evaluate
from fbftl.training.samples import LabelledSamples


@dataclass
class PersonalModels:
    """The networks of C clients.

    split_models: each client's architecture; clients that share one share the object.
    plan: how clients train.
    seed: the repetition's seed.
    weights: each client's parameters (X_u,), in the order of its network's.
    """

    split_models: Sequence[SplitModel]
    plan: LocalPlan
    seed: int
    weights: list[Tensor]

    @classmethod
    def initial(
        cls, split_models: Sequence[SplitModel], plan: LocalPlan, seed: int
    ) -> "PersonalModels":
        """Return networks that begin with the values that their architectures have."""
        return cls(
            split_models,
            plan,
            seed,
            [flattened(split_model.parameters) for split_model in split_models],
        )

    def copy(self) -> "PersonalModels":
        """Return networks that are trained apart from these."""
        return replace(self, weights=list(self.weights))

    def train(
        self, samples: LabelledSamples, rows: Sequence[np.ndarray], round_number: int,
        hooks: Hooks = FEDAVG, epochs: int | None = None,
    ) -> Tensor:  # fmt: skip
        """Train every client's network on its rows and keep what comes of it.

        Args:
            samples: what the rows are of.
            rows: of each client; who has none trains nothing.
            round_number: the round, from 1; with seed and client it decides the mini-batches.
            hooks: what is different.
            epochs: passes over the rows; the plan's if None.

        Returns:
            The mean of the clients' losses.
        """
        return train_side_by_side([self], samples, [rows], round_number, hooks, epochs)[0]

    def network(self, client: int) -> SplitModel:
        """Return a client's network with its weights, until another one's is asked for."""
        set_flat(self.split_models[client].parameters, self.weights[client])
        return self.split_models[client]

    @torch.no_grad()
    def logits(self, client: int, inputs: Tensor) -> Tensor:
        """Return what a client's network says of inputs (n, ...), (n, N)."""
        return self.network(client).whole(inputs)

    def accuracies(self, tests: Sequence[LabelledSamples]) -> list[float]:
        """Return each client's accuracy on its own test samples."""
        return [
            evaluate(
                self.network(client).whole, client_test, np.arange(len(client_test.labels))
            ).accuracy
            for client, client_test in enumerate(tests)
        ]


def train_side_by_side(
    several: Sequence[PersonalModels], samples: LabelledSamples,
    rows: Sequence[Sequence[np.ndarray]], round_number: int, hooks: Hooks = FEDAVG,
    epochs: int | None = None,
) -> Tensor:  # fmt: skip
    """Train clients of several repetitions, which have the same architectures, as each would alone.

    Args:
        several: the networks of R repetitions.
        samples: what the rows are of, in all of them.
        rows: of each repetition's clients; who has none trains nothing.
        round_number: the round, from 1; with seed and client it decides the mini-batches.
        hooks: what is different.
        epochs: passes over the rows; the plan's if None.

    Returns:
        The mean of the clients' losses in each repetition, (R,).
    """
    first = several[0]
    plan = first.plan if epochs is None else replace(first.plan, epochs=epochs)
    start = replace(
        hooks, start=lambda local_update: several[local_update.slot].weights[local_update.client]
    )
    losses: list[list[Tensor]] = [[] for _ in several]
    networks: dict[int, SplitModel] = {}
    local_updates: dict[int, list[LocalUpdate]] = {}
    for index, models in enumerate(several):
        first_client = {
            id(split_model): client
            for client, split_model in reversed([*enumerate(models.split_models)])
        }
        for client, split_model in enumerate(models.split_models):
            if len(rows[index][client]):
                network = first_client[id(split_model)]
                networks.setdefault(network, split_model)
                local_update = LocalUpdate(
                    models.seed, round_number, client, rows[index][client], index
                )
                local_updates.setdefault(network, []).append(local_update)
    for network, theirs in local_updates.items():
        trained = train_clients(networks[network], samples, theirs, plan, start)
        for local_update, weights, loss in zip(
            theirs, trained.weights, trained.losses, strict=True
        ):
            several[local_update.slot].weights[local_update.client] = weights
            losses[local_update.slot].append(loss)
    return torch.stack([torch.stack(client_losses).mean() for client_losses in losses])
