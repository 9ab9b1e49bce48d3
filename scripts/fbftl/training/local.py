"""Local epochs: clients start from the global weights and take optimiser steps of their own.

FedAvg (McMahan et al. 2017), Algorithm 1, ClientUpdate. The clients of a round train side by side
(`training/side_by_side.py`) where their networks can be stacked and gain by it: dense ones, and
convolutional ones on small images. Others train one after the other.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

from fbftl.ground.devices import seed_dropout
from fbftl.ground.randomness import torch_seed
from fbftl.models.convolutional import ConvolutionalStack, chained, stackable_layers
from fbftl.models.dense import DenseStack, dense_shape
from fbftl.models.modes import dropping
from fbftl.training.network import LabelledSamples
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.side_by_side import Stack, stacked
from fbftl.training.visits import (
    FEDAVG,
    Halves,
    Hooks,
    LocalPlan,
    Moment,
    Trained,
    Visit,
    flattened,
    least_batch,
    mini_batches,
    set_flat,
    shaped,
    start_of,
    training_of,
)

SMALL_IMAGE = 8 * 8
"""Pixels up to which calling convolutions takes longer than their products; not 16 x 16."""


def train_clients(
    halves: Halves,
    samples: LabelledSamples,
    visits: Sequence[Visit],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Train the clients of one round, by default each from the network's weights, which stay.

    Args:
        halves: the global network.
        samples: of all clients; those of the round are read.
        visits: the C clients of the round, at least one.
        plan: how they train.
        hooks: what is different.

    Raises:
        UserError: if a client's one sample has no statistics to normalise by.
    """
    stack_of = None
    if len(visits) > 1 and not plan.training.dropout:
        stack_of = _stack_of(halves, samples, visits[0], hooks)
    if stack_of is None:
        return one_by_one(halves, samples, visits, plan, hooks)
    return stacked(halves, stack_of, samples, visits, plan, hooks)


def _stack_of(
    halves: Halves, samples: LabelledSamples, visit: Visit, hooks: Hooks
) -> Callable[[Tensor], Stack] | None:
    """Return what stacks networks of this shape, given their weights; None where nothing does."""
    layers = stackable_layers(halves.whole)
    if layers is not None:
        image = samples.at(visit.rows[:1]).inputs.shape[1:]
        small = image[1:].numel() <= SMALL_IMAGE
        boundary = len(chained(halves.front))
        return partial(ConvolutionalStack, layers, image, boundary) if small else None
    shape = None if hooks.looks_inside else dense_shape(halves.whole)
    return None if shape is None else partial(DenseStack, shape)


def one_by_one(
    halves: Halves,
    samples: LabelledSamples,
    visits: Sequence[Visit],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Do the same as `train_clients`, one client after the other; for any network."""
    parameters = halves.parameters
    begun = flattened(parameters)
    weights = begun.new_empty(len(visits), len(begun))
    least = least_batch(halves)
    losses = []
    try:
        for place, visit in enumerate(visits):
            set_flat(parameters, start_of(begun, hooks, visit))
            with _dropout(halves, plan, visit):
                losses.append(_visit(halves, samples, visit, plan, hooks, least))
            weights[place] = flattened(parameters)
    finally:
        set_flat(parameters, begun)
    return Trained(weights, torch.stack(losses))


def _visit(
    halves: Halves, samples: LabelledSamples, visit: Visit, plan: LocalPlan, hooks: Hooks,
    least: int,
) -> Tensor:  # fmt: skip
    """Train the network in place as one client does; return its mean loss."""
    optimiser = OPTIMISERS[plan.optimiser].alone(halves.parameters, training_of(plan, hooks, visit))
    start = flattened(optimiser.parameters)
    losses = []
    for epoch, rows in mini_batches(visit, plan, least):
        batch = samples.at(rows)
        moment = Moment(visit, epoch, epoch == plan.epochs, rows)
        features = hooks.crossed(halves.front(batch.inputs), batch.labels, moment)
        loss = hooks.loss(hooks.logits(halves.rest(features), rows), batch.labels).mean()
        gradients = torch.autograd.grad(loss, optimiser.parameters)
        if hooks.gradients is not None:
            weights = flattened(optimiser.parameters)
            changed = hooks.gradients(visit, flattened(gradients), weights, start)
            gradients = shaped(changed, optimiser.parameters)
        optimiser.step([gradient.contiguous() for gradient in gradients])
        losses.append(loss.detach())
    return torch.stack(losses).mean()


@contextmanager
def _dropout(halves: Halves, plan: LocalPlan, visit: Visit) -> Iterator[None]:
    """Let dropout act in the block where the plan has it, with masks of the visit's own."""
    if not plan.training.dropout:
        yield
        return
    with torch.random.fork_rng(), dropping(halves.front, halves.rest):
        seed_dropout(torch_seed(visit.seed, "dropout", visit.turn - 1, visit.client))
        yield
