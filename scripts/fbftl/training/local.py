"""Local epochs: clients start from the global weights and take optimiser steps of their own.

FedAvg (McMahan et al. 2017), Algorithm 1, ClientUpdate. The clients of a round train side by side
(`training/side_by_side.py`) where their networks can be stacked and gain by it: dense ones, and
convolutional ones on small images. Others train one after the other.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.devices import seed_dropout
from fbftl.ground.randomness import torch_seed
from fbftl.models.dual_batch_norm import mixed
from fbftl.models.modes import couples_samples, dropping
from fbftl.models.stack import NetworkStack, chained, convolution_products, stackable
from fbftl.training.local_updates import (
    FEDAVG,
    Hooks,
    LocalPlan,
    LocalUpdate,
    MiniBatch,
    SplitModel,
    Trained,
    flattened,
    least_batch,
    mini_batches,
    set_flat,
    shaped,
    start_of,
    training_of,
)
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.samples import LabelledSamples
from fbftl.training.side_by_side import stacked

SMALL_IMAGE = 8 * 8
"""Pixels up to which calling convolutions takes longer than their products, whatever the batch."""

FEW_PRODUCTS = 2**24
"""Multiplications of a mini-batch up to which it does on larger images."""


def train_clients(
    split_model: SplitModel,
    samples: LabelledSamples,
    local_updates: Sequence[LocalUpdate],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Train the clients of one round, by default each from the network's weights, which stay.

    Args:
        split_model: the global network.
        samples: of all clients; those of the round are read.
        local_updates: the C clients of the round, at least one.
        plan: how they train.
        hooks: what is different.

    Raises:
        UserError: if a client's one sample has no statistics to normalise by.
    """
    stack_of = None
    if len(local_updates) > 1 and not plan.training.dropout:
        stack_of = _stack_of(split_model, samples, local_updates[0], plan, hooks)
    if stack_of is None:
        return one_by_one(split_model, samples, local_updates, plan, hooks)
    return stacked(split_model, stack_of, samples, local_updates, plan, hooks)


def _stack_of(
    split_model: SplitModel, samples: LabelledSamples, local_update: LocalUpdate, plan: LocalPlan,
    hooks: Hooks,
) -> Callable[[Tensor], NetworkStack] | None:  # fmt: skip
    """Return what stacks networks of this shape, given their weights; None where nothing does."""
    if hooks.boundary is not None and couples_samples(split_model.whole):
        return None  # halves are not told which rows only fill a batch
    shape = stackable(split_model.whole)
    if shape is None:
        return None
    boundary = len(shape.layers) - len(chained(split_model.rest))
    if not shape.convolves:
        return partial(NetworkStack, shape, boundary=boundary)
    example = samples.at(np.resize(local_update.rows, 2)).inputs
    image, batch = example.shape[1:], plan.batch or len(local_update.rows)
    pays = (
        image[1:].numel() <= SMALL_IMAGE
        or batch * convolution_products(shape, example) <= FEW_PRODUCTS
    )
    if hooks.perturb or not pays:
        return None  # stacked convolutions have no normalisations of adversarial inputs
    return partial(NetworkStack, shape, image=image, boundary=boundary)


def one_by_one(
    split_model: SplitModel,
    samples: LabelledSamples,
    local_updates: Sequence[LocalUpdate],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Do the same as `train_clients`, one client after the other; for any network."""
    parameters = split_model.parameters
    global_weights = flattened(parameters)
    weights = global_weights.new_empty(len(local_updates), len(global_weights))
    least = least_batch(split_model)
    losses = []
    try:
        for index, local_update in enumerate(local_updates):
            set_flat(parameters, start_of(global_weights, hooks, local_update))
            with _dropout(split_model, plan, local_update):
                losses.append(_local_update(split_model, samples, local_update, plan, hooks, least))
            weights[index] = flattened(parameters)
    finally:
        set_flat(parameters, global_weights)
    return Trained(weights, torch.stack(losses))


def _local_update(
    split_model: SplitModel, samples: LabelledSamples, local_update: LocalUpdate, plan: LocalPlan,
    hooks: Hooks, least: int,
) -> Tensor:  # fmt: skip
    """Train the network in place as one client does; return its mean loss."""
    optimiser = OPTIMISERS[plan.optimiser].alone(
        split_model.parameters, training_of(plan, hooks, local_update)
    )
    start = flattened(optimiser.parameters)
    losses = []
    for epoch, rows in mini_batches(local_update, plan, least):
        batch = samples.at(rows)
        mini_batch = MiniBatch(local_update, epoch, epoch == plan.epochs, rows)
        inputs, labels = batch.inputs, batch.labels
        if hooks.perturb is not None:
            with mixed(split_model.whole, 1.0) as network:
                perturbed = hooks.perturb(network, inputs, labels, torch.ones_like(labels) > 0)
            inputs = torch.cat([inputs, perturbed])
        features = split_model.front(inputs)
        if hooks.boundary is not None:
            features = hooks.boundary(features, mini_batch)
        loss = hooks.loss(hooks.logits(split_model.rest(features), rows), labels).mean()
        gradients = torch.autograd.grad(loss, optimiser.parameters)
        if hooks.gradients is not None:
            weights = flattened(optimiser.parameters)
            changed = hooks.gradients(local_update, flattened(gradients), weights, start)
            gradients = shaped(changed, optimiser.parameters)
        optimiser.step([gradient.contiguous() for gradient in gradients])
        losses.append(loss.detach())
    return torch.stack(losses).mean()


@contextmanager
def _dropout(split_model: SplitModel, plan: LocalPlan, local_update: LocalUpdate) -> Iterator[None]:
    """Let dropout act in the block where the plan has it, with masks of the update's own."""
    if not plan.training.dropout:
        yield
        return
    with torch.random.fork_rng(), dropping(split_model.front, split_model.rest):
        seed_dropout(
            torch_seed(
                local_update.seed, "dropout", local_update.round_number - 1, local_update.client
            )
        )
        yield
