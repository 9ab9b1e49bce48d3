"""Networks of several widths that share weights; clients train those that their budgets allow.

A `LocalNetwork` whose weights are one vector (`models.widths`): each client of a round trains the
networks that it is assigned, all on the same mini-batches, and holds their pieces.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.models.widths import SharedWeights, nested, side_by_side
from fbftl.study.widths import bases_in, budgets, narrowed, served, spread_over
from fbftl.training.batches import Round, picked_rounds
from fbftl.training.curves import ExtraMeasures, Measure, Series
from fbftl.training.local import train_clients
from fbftl.training.local_network import LocalNetwork, LocalTrainingData
from fbftl.training.local_updates import (
    FEDAVG,
    ClientPieces,
    Hooks,
    LocalPlan,
    LocalUpdate,
    SplitModel,
    Trained,
)
from fbftl.training.samples import TrainingData, by_domain
from fbftl.training.tasks.task import ClientSamples, Repetition

Assigning = Callable[[Sequence[int]], list[list[int]]]
"""From the bases that each client of a round can train to the slots that it trains."""


class Rotation:
    """Split-Mix's order of the bases, one for all clients and rounds (paper thesis, Alg. 4.2).

    A client gets the next base of the order, and the others that it can train at random; the order
    is drawn anew when it ends, so that every base is trained as often as any.

    Args:
        bases: M_b.
        seed: the repetition's seed.
    """

    def __init__(self, bases: int, seed: int) -> None:
        self._bases, self._draws = bases, stream(seed, "bases")
        self._order: list[int] = []

    def __call__(self, budgets: Sequence[int]) -> list[list[int]]:
        """Return the bases of each client of a round, ascending."""
        return [self._next(budget) for budget in budgets]

    def _next(self, count: int) -> list[int]:
        if not self._order:
            self._order = [int(base) for base in self._draws.permutation(self._bases)]
        first = self._order.pop(0)
        others = [base for base in range(self._bases) if base != first]
        return sorted([first, *map(int, self._draws.permutation(others)[: count - 1])])


def summed(classes: int) -> Callable[[Tensor, Tensor], Tensor]:
    """Return SHeteroFL's loss: the sum of the cross-entropies of a network and of its slices.

    Args:
        classes: N, of which logits (n, P N) hold as many for each of P networks.
    """

    def losses(logits: Tensor, labels: Tensor) -> Tensor:
        parts = logits.unflatten(1, (-1, classes))
        labels_of_parts = labels[:, None].expand(parts.shape[:2])
        return functional.cross_entropy(
            parts.transpose(1, 2), labels_of_parts, reduction="none"
        ).sum(1)

    return losses


@dataclass(frozen=True)
class Budgeted:
    """What clients can train.

    budgets: bases of each client.
    bases: M_b, those of the whole network.
    assigned: which slots the clients of a round train.
    """

    budgets: Sequence[int]
    bases: int
    assigned: Assigning


class SharedNetwork(LocalNetwork):
    """The server's networks of every width, with what clients make of theirs in a round.

    Args:
        shared: on the training device.
        training_data: what it trains on.
        plan: how clients train.
        seed: the repetition's seed.
        budgeted: what they can train.
        hooks: what is different from FedAvg.
    """

    def __init__(
        self, shared: SharedWeights, training_data: TrainingData, plan: LocalPlan, seed: int,
        budgeted: Budgeted, hooks: Hooks = FEDAVG,
    ) -> None:  # fmt: skip
        super().__init__(SplitModel(nn.Identity(), shared), training_data, plan, seed, hooks)
        self.shared, self.budgeted = shared, budgeted
        self._assigned: list[list[list[int]]] = []

    def train(self, round_: Round) -> Trained | None:
        """Train the clients of a round, each the slots that it is assigned; None without any."""
        picked = self._assign(round_.clients)
        self._assigned.append(picked)
        if not picked:  # Poisson sampling may take nobody
            return None
        before, slots = self.weights(), self.shared.slots
        weights = before.new_zeros(len(picked), len(before))
        losses = before.new_zeros(len(picked))
        hooks = replace(
            self.hooks, start=lambda local_update: before[slots[local_update.slot].places]
        )
        present = [rows[there] for rows, there in zip(round_.rows, round_.present, strict=True)]
        local_updates = {
            (index, slot): LocalUpdate(self.seed, round_.number, int(client), rows, slot)
            for index, (client, rows) in enumerate(zip(round_.clients, present, strict=True))
            for slot in picked[index]
        }
        samples = self.training_data.samples
        # Networks of one shape are one stack, whoever's they are.
        for network in dict.fromkeys(slots[slot].trained for _, slot in local_updates):
            mine = {key: v for key, v in local_updates.items() if slots[key[1]].trained is network}
            trained = train_clients(
                SplitModel(nn.Identity(), network), samples, list(mine.values()), self.plan,
                hooks,
            )  # fmt: skip
            for number, (index, slot) in enumerate(mine):
                weights[index, slots[slot].places] = trained.weights[number]
                losses[index] += trained.losses[number] / len(picked[index])
        by_client = torch.stack([self.shared.holds[client_slots].any(0) for client_slots in picked])
        self._trained = Trained(weights, losses, ClientPieces(self.shared.pieces, by_client))
        self._index = {int(client): index for index, client in enumerate(round_.clients)}
        return self._trained

    def _assign(self, clients: np.ndarray) -> list[list[int]]:
        """Return the slots of each client of a round, assigned in the order of their ids."""
        order = np.argsort(clients)
        in_order = self.budgeted.assigned(
            [self.budgeted.budgets[clients[position]] for position in order]
        )
        return [in_order[place] for place in np.argsort(order)]

    def floats(self, round_: Round) -> np.ndarray:
        """Return how many weights each client of the round that was trained last holds, (C,)."""
        sizes = np.array([len(piece) for piece in self.shared.pieces])
        places = [self._index[int(client)] for client in round_.clients]
        return required(self._trained.pieces).by_client.numpy()[places] @ sizes

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message (X_u,) of the one client of a round that was trained: its pieces."""
        index = self._index[int(round_.clients[0])]
        positions = required(self._trained.pieces).positions(index)
        return self._trained.weights[index][positions].cpu().numpy()

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return accuracies by width and domain, and who trained what."""
        widths = {
            width / self.budgeted.bases: self.in_domains(self.shared.at(width), epoch)
            for width in self.shared.mixtures
        }
        test = self.training_data.test
        sizes = [len(rows) for rows in by_domain(test, np.arange(len(test.labels)))]
        numbers = {
            f"accuracy_x{width:g}": float(np.average(accuracies, weights=sizes))
            for width, accuracies in widths.items()
        }
        lists = {f"domain_accuracy_x{width:g}": values for width, values in widths.items()}
        record = {
            "budgets": [budget / self.budgeted.bases for budget in self.budgeted.budgets],
            "assigned": self._assigned,
        }
        measures = {name: Measure("share", "higher", diverged=0.0) for name in numbers}
        series = {name: Series("share", by="domain") for name in lists}
        return ExtraMeasures(numbers, lists, record, measures, series)


Making = Callable[..., Any]
"""From what `SharedNetwork` takes to a learner."""


def shared_network(
    client_data: ClientSamples,
    repetition: Repetition,
    layout: str,
    made: Making = SharedNetwork,
    of: Callable[[nn.Sequential], nn.Module] | None = None,
) -> Any:
    """Return the target network at several widths, from random values, trained for local epochs.

    Clients train as far as their budgets allow.

    Args:
        client_data: what the clients hold.
        repetition: who takes part.
        layout: how the widths share weights: bases, slices or slimmable slices.
        made: the class of the learner, a `SharedNetwork`, or what makes one.
        of: what becomes of each network, a flat chain of named layers; None for what it is.
    """
    training_data = LocalTrainingData.of(client_data, repetition)
    assigned: Assigning
    bases = bases_in(repetition.job.setting.width)

    def network(width: int, *keys: int) -> nn.Module:
        block = narrowed(repetition.job.block["network"], Fraction(width, bases))
        halves = client_data.target.named(block, repetition.seed, *keys)
        model = nn.Sequential(*halves)
        training_data.prepare(model)
        if of is None:
            return model
        return of(nn.Sequential(OrderedDict(c for half in halves for c in half.named_children())))

    budget = budgets_of(training_data, bases)
    hooks = training_data.hooks(FEDAVG)
    if layout == "bases":
        # The first base begins as FedAvg's network of its width does.
        several = [network(1, *([base] if base else [])) for base in range(bases)]
        if repetition.job.setting.rescaled_init:
            rescale(several, bases)
        if repetition.job.setting.rescaled_layers:
            for base in several:
                rescale_layers(base, bases)
        shared, assigned = side_by_side(several, served(bases)), Rotation(bases, repetition.seed)
    else:
        widths = sorted({*budget, *served(bases)})
        slimmable = layout == "slimmable slices"
        shared = nested({w: network(w) for w in widths}, served(bases), slimmable)
        hooks = replace(hooks, loss=summed(training_data.classes)) if slimmable else hooks
        assigned = _slices(widths)
    can = Budgeted(budget, bases, assigned)
    training = repetition.job.network_training
    active = repetition.job.setting.clients_per_round or training.clients_per_round
    rounds = training_data.by_rounds(
        picked_rounds(repetition.clients, active, training.local_rounds, repetition.seed)
    )
    return made(shared, rounds, training_data.plan, repetition.seed, can, hooks)


def _slices(widths: Sequence[int]) -> Callable[[Sequence[int]], list[list[int]]]:
    return lambda budgets: [[widths.index(budget)] for budget in budgets]


@torch.no_grad()
def rescale(bases: Sequence[nn.Module], count: int) -> None:
    """Give bases the weights of slices of the whole network (paper thesis, Sec. 4.4.1).

    Kaiming's bound goes by the inputs of the whole network's layer, of which a base has one in
    `count` everywhere but in the first.
    """
    for base in bases:
        layers = [m for m in base.modules() if isinstance(m, nn.Linear | nn.Conv2d)]
        for layer in layers[1:]:
            layer.weight.mul_(1 / sqrt(count))


def rescale_layers(base: nn.Module, count: int) -> None:
    """Divide what a base's hidden layers give by its width, as the public code's training does.

    A normalisation by the statistics of the batch takes away what a layer's outputs are multiplied
    by, but for what it adds to their variance: of outputs `count` times as large that is the same
    as adding a `count`-th of a `count`-th.

    The plan refuses a network without them.
    """
    for norm in base.modules():
        if isinstance(norm, _BatchNorm):
            norm.eps /= count**2


def budgets_of(training_data: LocalTrainingData, bases: int) -> list[int]:
    """Return the bases that each client can train; clients of a domain stand side by side."""
    repetition, samples = training_data.repetition, training_data.training_data.samples
    budget_list = budgets(repetition.job.setting.budgets, len(repetition.clients), bases)
    if repetition.job.setting.budget_order == "by_domain":
        return budget_list
    if repetition.job.setting.budget_order == "poorest_first":
        return budget_list[::-1]
    first = np.array([rows[0] for rows in repetition.clients])
    domains = np.zeros_like(first) if samples.domain is None else samples.domain[first]
    return spread_over(domains.tolist(), budget_list)
