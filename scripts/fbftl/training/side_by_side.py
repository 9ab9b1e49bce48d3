"""Clients whose networks have one shape, side by side: every layer is one product for them all.

Those that take equally many steps make a stack. What looks at the boundary is told of one client
after the other, as if each trained alone.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.models.convolutional import ConvolutionalStack
from fbftl.models.dense import DenseStack
from fbftl.training.network import LabelledInputs, LabelledSamples
from fbftl.training.optimisers import OPTIMISERS, Optimiser
from fbftl.training.visits import (
    Halves,
    Hooks,
    LocalPlan,
    Moment,
    Trained,
    Visit,
    cross_entropies,
    flattened,
    least_batch,
    mini_batches,
    start_of,
    training_of,
)

Stack = DenseStack | ConvolutionalStack


def stacked(
    halves: Halves, stack_of: Callable[[Tensor], Stack], samples: LabelledSamples,
    visits: Sequence[Visit], plan: LocalPlan, hooks: Hooks,
) -> Trained:  # fmt: skip
    """Do the same as `train_clients`, side by side.

    Args:
        halves: the global network.
        stack_of: stacks networks of its shape, given their weights (H, X).
        samples, visits, plan, hooks: as there; nothing drops out.
    """
    least = least_batch(halves)
    moments = [
        [
            Moment(visit, epoch, epoch == plan.epochs, rows)
            for epoch, rows in mini_batches(visit, plan, least)
        ]
        for visit in visits
    ]
    network = halves.parameters
    begun = flattened(network)
    weights = begun.new_empty(len(visits), len(begun))
    losses = begun.new_empty(len(visits))
    taken = np.unique(np.concatenate([visit.rows for visit in visits]))
    of_round = samples.at(taken)
    for count in sorted({len(own) for own in moments}):
        places = [place for place, own in enumerate(moments) if len(own) == count]
        starts = [start_of(begun, hooks, visits[place]) for place in places]
        stack = stack_of(torch.stack(starts))
        training = training_of(plan, hooks, visits[places[0]])
        optimiser = OPTIMISERS[plan.optimiser].stacked(stack.parameters(), training)
        steps = list(zip(*(moments[place] for place in places), strict=True))
        losses[places] = _train_stack(stack, optimiser, steps, of_round, taken, hooks, network)
        weights[places] = stack.flat()
    return Trained(weights, losses)


def _train_stack(
    stack: Stack, optimiser: Optimiser, steps: Sequence[Sequence[Moment]],
    samples: LabelledInputs, numbers: np.ndarray, hooks: Hooks, network: Sequence[Tensor],
) -> Tensor:  # fmt: skip
    """Train H stacked networks in place; return mean losses.

    Args:
        stack: the networks.
        optimiser: of its parameters.
        steps: in each the mini-batch of every network.
        samples: those of the round.
        numbers: rows of these samples, ascending.
        hooks: what is different.
        network: parameters of the global network, which no loss may read.
    """
    most = max(len(one.rows) for step in steps for one in step)
    chosen = np.zeros((len(steps), len(steps[0]), most), dtype=np.int64)
    share = np.zeros(chosen.shape, dtype=np.float32)
    for number, step in enumerate(steps):
        for place, one in enumerate(step):
            count = len(one.rows)
            chosen[number, place, :count] = np.searchsorted(numbers, one.rows)
            share[number, place, :count] = 1 / count
    values, labels = samples.inputs.flatten(1), samples.labels
    at = torch.from_numpy(chosen).to(labels.device)
    weights = torch.from_numpy(share).to(labels.device)
    start, means = stack.flat(), []
    for step, own, rows, weight in zip(steps, chosen, at, weights, strict=True):
        inputs, told = functional.embedding(rows, values), labels[rows]
        if hooks.looks_inside:
            logits = stack.rest(_crossed(stack.front(inputs), told, step, hooks))
        else:
            logits = stack(inputs, weight)
        counted = hooks.logits(logits.flatten(0, 1), numbers[own.ravel()])
        losses = hooks.loss(counted, told.flatten(0, 1)).view_as(weight)
        mean = (losses * weight).sum(1)
        if not means and hooks.loss is not cross_entropies:
            _require_no_weights(mean.sum(), network)
        gradients = torch.autograd.grad(mean.sum(), stack.parameters())
        if hooks.gradients is not None:
            flat = zip(step, stack.flat(gradients), stack.flat(), start, strict=True)
            changed = [hooks.gradients(one.visit, *vectors) for one, *vectors in flat]
            gradients = stack.parts(torch.stack(changed))
        optimiser.step([gradient.contiguous() for gradient in gradients])
        means.append(mean.detach())
    return torch.stack(means).mean(0)


def _require_no_weights(loss: Tensor, network: Sequence[Tensor]) -> None:
    """Raise a ValueError if a loss reads the global network, which does not train in a stack."""
    read = torch.autograd.grad(loss, network, retain_graph=True, allow_unused=True)
    if any(own is not None for own in read):
        raise ValueError(
            "a hook's loss reads the network's weights, which stacked clients train copies of; "
            "give a term in the weights as Hooks(gradients=...)"
        )


def _crossed(
    features: Sequence[Tensor], labels: Tensor, step: Sequence[Moment], hooks: Hooks
) -> list[Tensor]:
    """Return what is given to the second half of every network, without rows that only fill.

    Args:
        features: what each network's first half gives (B, ...).
        labels: (H, B).
        step: the mini-batch of each, of at most B rows.
        hooks: what happens there.
    """
    crossed = []
    for values, own, one in zip(features, labels, step, strict=True):
        count, filled = len(one.rows), len(values)
        given = hooks.crossed(values[:count], own[:count], one)
        if count < filled:
            given = torch.cat([given, given.new_zeros(filled - count, *given.shape[1:])])
        crossed.append(given)
    return crossed
