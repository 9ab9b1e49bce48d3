"""Networks of several widths that share weights; clients train those that their budgets allow."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from fbftl.models.widths import nested, side_by_side
from fbftl.study.widths import bases_in, budgets, narrowed, served, spread_over
from fbftl.training.batches import Rounds, picked_rounds
from fbftl.training.learners.local import LocalTrainingData
from fbftl.training.local_updates import FEDAVG
from fbftl.training.samples import LabelledSamples
from fbftl.training.shared_network import Assigning, Budgeted, Rotation, SharedNetwork, summed
from fbftl.training.tasks.task import ClientSamples, Repetition

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
    rounds = training_data.by_rounds(active_rounds(repetition))
    return made(shared, rounds, training_data.plan, repetition.seed, can, hooks)


def active_rounds(repetition: Repetition) -> Iterator[Rounds]:
    """Return the rounds, of as many clients as the setting or else the training values say."""
    training = repetition.job.network_training
    active = repetition.job.setting.clients_per_round or training.clients_per_round
    return picked_rounds(repetition.clients, active, training.local_rounds, repetition.seed)


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
    return spread_over([domain_of(samples, rows[0]) for rows in repetition.clients], budget_list)


def domain_of(samples: LabelledSamples, row: int) -> int:
    """Return the domain of a sample, 0 where the task has one only."""
    return 0 if samples.domain is None else int(samples.domain[row])
