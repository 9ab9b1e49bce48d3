"""What clients with images train for local epochs: one network, or several widths of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import cos, pi, sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError
from fbftl.models.chain import chain_of
from fbftl.models.modes import couples_samples
from fbftl.models.networks import random_halves
from fbftl.models.widths import nested, side_by_side
from fbftl.study.job import Training
from fbftl.study.widths import bases_in, budgets, narrowed, served, spread_over
from fbftl.tasks.task import Repetition
from fbftl.training import batches
from fbftl.training.batches import Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.network import LabelledSamples, Lessons, by_domain
from fbftl.training.passes import passes_of
from fbftl.training.shared_network import Budgeted, Rotation, SharedNetwork, summed
from fbftl.training.visits import FEDAVG, Halves, Hooks, LocalPlan

Drawing = Callable[..., tuple[nn.Module, ...]]
"""From a network's block, the seed and further keys of its stream to both halves of it."""


@dataclass(frozen=True)
class LocalLessons:
    """What one repetition trains on for local epochs.

    lessons: samples and test split; its rounds are others.
    classes: number of classes N.
    """

    repetition: Repetition
    lessons: Lessons
    classes: int

    @property
    def training(self) -> Training:
        """The job's training values."""
        return self.repetition.job.training

    def by_rounds(self, turns: Iterable[Rounds] | None = None) -> Lessons:
        """Return what it trains on, by rounds of clients picked anew unless it is told others."""
        one, training = self.repetition, self.training
        turns = turns or batches.picked_rounds(
            one.clients, training.clients_per_round, training.rounds, one.seed
        )
        return replace(self.lessons, schedule=turns)

    @property
    def plan(self) -> LocalPlan:
        """How clients train in a round."""
        training = self.training
        epochs = getattr(self.repetition.job.setting, "local_epochs", 1)
        batch = getattr(self.repetition.job.setting, "local_batch", None) or training.local_batch
        return LocalPlan(epochs, batch, training, training.optimiser)

    def hooks(self, hooks: Hooks) -> Hooks:
        """Return hooks with what the training values ask for."""
        if self.training.annealing == "cosine":
            hooks = replace(hooks, rate=cosine(self.training.rounds))
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
        test = self.lessons.test
        evaluated = {
            "test": by_domain(test, np.arange(len(test.labels))),
            "held-out": by_domain(self.lessons.samples, self.lessons.validation),
        }
        for which, parts in evaluated.items():
            if 1 in map(len, parts):
                raise UserError(
                    f"a domain has one {which} sample, of which batch normalisation makes "
                    "nothing; give more of them, or training.batch_norm: frozen"
                )

    def _classes_held(self) -> Tensor:
        """Return which classes the client of each sample holds, (n, N) booleans."""
        labels = self.lessons.samples.labels
        held = torch.ones(len(labels), self.classes, dtype=torch.bool, device=labels.device)
        for rows in self.repetition.clients:
            own = torch.from_numpy(rows).to(labels.device)
            held[own] = torch.bincount(labels[own], minlength=self.classes) > 0
        return held


def cosine(rounds: int) -> Callable[[int], float]:
    """Return the factor of the learning rate in a round, from 1 down to nearly 0."""
    return lambda turn: (1 + cos(pi * (turn - 1) / rounds)) / 2


ABSENT = {"masked": float("-inf"), "zeroed": 0.0}
"""Logits of classes that a client lacks, by what the training values say of them."""


def masking(held: Tensor, absent: float) -> Callable[[Tensor, np.ndarray], Tensor]:
    """Return what replaces logits (n, P N) of classes that a sample's client lacks.

    Args:
        held: (samples, N) which classes the client of each sample holds.
        absent: their logit.
    """

    def masked(logits: Tensor, rows: np.ndarray) -> Tensor:
        own = held[torch.from_numpy(rows).to(held.device)]
        return logits.masked_fill(~own.repeat(1, logits.shape[1] // own.shape[1]), absent)

    return masked


def local_network(
    given: LocalLessons,
    halves: Halves,
    hooks: Hooks,
    turns: Iterable[Rounds] | None = None,
    of: Callable[..., Any] = LocalNetwork,
) -> Any:
    """Return a network, trained for local epochs.

    Args:
        given: what it trains on.
        halves: with its first values.
        hooks: what is different from FedAvg.
        turns: the rounds, None for clients picked anew.
        of: the class of the learner.
    """
    given.prepare(halves.whole)
    seed = given.repetition.seed
    return of(halves, given.by_rounds(turns), given.plan, seed, given.hooks(hooks))


def shared_network(given: LocalLessons, drawn: Drawing, layout: str) -> SharedNetwork:
    """Return networks of several widths, which clients train as far as their budgets allow.

    Args:
        given: what they train on.
        drawn: draws a network's first values.
        layout: bases, slices or slimmable slices.
    """
    one = given.repetition
    bases = bases_in(one.job.setting.width)

    def network(width: int, *keys: int) -> nn.Module:
        block = narrowed(one.job.block["network"], Fraction(width, bases))
        made = nn.Sequential(*drawn(block, one.seed, *keys))
        given.prepare(made)
        return made

    budget = budgets_of(given, bases)
    hooks = given.hooks(FEDAVG)
    if layout == "bases":
        # The first base begins as FedAvg's network of its width does.
        several = [network(1, *([base] if base else [])) for base in range(bases)]
        if one.job.setting.rescaled_init:
            rescale(several, bases)
        shared, assigned = side_by_side(several, served(bases)), Rotation(bases, one.seed)
    else:
        widths = sorted({*budget, *served(bases)})
        slimmable = layout == "slimmable slices"
        shared = nested({w: network(w) for w in widths}, served(bases), slimmable)
        hooks = replace(hooks, loss=summed(given.classes)) if slimmable else hooks
        assigned = _slices(widths)
    can = Budgeted(budget, bases, assigned)
    return SharedNetwork(shared, given.by_rounds(), given.plan, one.seed, can, hooks)


def shared_heads(given: LocalLessons, width: int, layout: str) -> SharedNetwork:
    """Return heads of several widths on features of one width, as `shared_network`."""
    device = given.lessons.samples.labels.device

    def drawn(block: Mapping[str, Any], seed: int, *keys: int) -> tuple[nn.Module, ...]:
        chain = chain_of(block, (1, 1, width), given.classes)
        return tuple(half.to(device) for half in random_halves(chain, block["cut"], seed, *keys))

    return shared_network(given, drawn, layout)


def _slices(widths: Sequence[int]) -> Callable[[Sequence[int]], list[list[int]]]:
    return lambda budget: [[widths.index(own)] for own in budget]


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


def budgets_of(given: LocalLessons, bases: int) -> list[int]:
    """Return the bases that each client can train; clients of a domain stand side by side."""
    one, samples = given.repetition, given.lessons.samples
    found = budgets(one.job.setting.budgets, len(one.clients), bases)
    if one.job.setting.budget_order == "by_domain":
        return found
    if one.job.setting.budget_order == "poorest_first":
        return found[::-1]
    return spread_over([domain_of(samples, rows[0]) for rows in one.clients], found)


def domain_of(samples: LabelledSamples, row: int) -> int:
    """Return the domain of a sample, 0 where the task has one only."""
    return 0 if samples.domain is None else int(samples.domain[row])
