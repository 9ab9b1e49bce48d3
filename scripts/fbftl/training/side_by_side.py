"""Clients whose networks have one shape, side by side: every layer is one product for them all.

Those of one repetition that take equally many steps make a stack, and with them those of others
whose largest mini-batches are as large: a stack is filled up to its largest, and how far decides
the last bit of what a client learns. What looks at the boundary is told of one client after the
other, as if each trained alone.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.models.stack import NetworkStack
from fbftl.training.batches import Epoch
from fbftl.training.local_updates import (
    Hooks,
    LocalPlan,
    LocalUpdate,
    MiniBatch,
    SplitModel,
    Trained,
    cross_entropies,
    flattened,
    least_batch,
    mini_batches,
    start_of,
    training_of,
)
from fbftl.training.optimisers import OPTIMISERS, Optimiser
from fbftl.training.samples import LabelledInputs, LabelledSamples


def stacked(
    split_model: SplitModel, stack_of: Callable[[Tensor], NetworkStack], samples: LabelledSamples,
    local_updates: Sequence[LocalUpdate], plan: LocalPlan, hooks: Hooks,
) -> Trained:  # fmt: skip
    """Do the same as `train_clients`, side by side.

    Args:
        split_model: the global network.
        stack_of: stacks networks of its shape, given their weights (H, X).
        samples, local_updates, plan, hooks: as there; nothing drops out.
    """
    least = least_batch(split_model)
    batches_of = _mini_batches(local_updates, plan, least)
    network = split_model.parameters
    global_weights = flattened(network)
    weights = global_weights.new_empty(len(local_updates), len(global_weights))
    losses = global_weights.new_empty(len(local_updates))
    taken = np.unique(np.concatenate([local_update.rows for local_update in local_updates]))
    of_round = samples.at(taken)
    for indices in _stacks(local_updates, batches_of):
        starts = [start_of(global_weights, hooks, local_updates[index]) for index in indices]
        stack = stack_of(torch.stack(starts))
        training = training_of(plan, hooks, local_updates[indices[0]])
        optimiser = OPTIMISERS[plan.optimiser].stacked(stack.parameters(), training)
        steps = list(zip(*(batches_of[index] for index in indices), strict=True))
        losses[indices] = _train_stack(stack, optimiser, steps, of_round, taken, hooks, network)
        weights[indices] = stack.flat()
    return Trained(weights, losses)


def _stacks(
    local_updates: Sequence[LocalUpdate], batches_of: Sequence[Sequence[MiniBatch]]
) -> list[list[int]]:
    """Return the local updates of each stack, filled up as in their repetition alone."""
    most: dict[tuple[int, int], int] = {}
    for update, batches in zip(local_updates, batches_of, strict=True):
        sizes = [len(mini_batch.rows) for mini_batch in batches]
        most[len(batches), update.seed] = max(most.get((len(batches), update.seed), 0), *sizes, 0)
    stacks: dict[tuple[int, int], list[int]] = {}
    for index, (update, batches) in enumerate(zip(local_updates, batches_of, strict=True)):
        key = (len(batches), most[len(batches), update.seed])
        stacks.setdefault(key, []).append(index)
    return [stacks[key] for key in sorted(stacks)]


def _mini_batches(
    local_updates: Sequence[LocalUpdate], plan: LocalPlan, least: int
) -> list[list[MiniBatch]]:
    """Return every local update's mini-batches; a client's networks share what is drawn once."""
    drawn: dict[tuple[int, ...], list[tuple[int, np.ndarray]]] = {}
    batches_of = []
    for update in local_updates:
        key = (update.seed, update.round_number, update.client, id(update.rows))
        if key not in drawn:
            drawn[key] = list(mini_batches(update, plan, least))
        batches_of.append(
            [MiniBatch(update, epoch, epoch == plan.epochs, rows) for epoch, rows in drawn[key]]
        )
    return batches_of


def _train_stack(
    stack: NetworkStack, optimiser: Optimiser, steps: Sequence[Sequence[MiniBatch]],
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
    most = max(len(mini_batch.rows) for step in steps for mini_batch in step)
    of_networks = zip(*steps, strict=True)
    batches = [[np.searchsorted(numbers, each.rows) for each in of] for of in of_networks]
    chosen = Epoch.of(batches, len(steps), most)
    values, labels = samples.inputs.flatten(1), samples.labels
    at = torch.from_numpy(chosen.rows).to(labels.device)
    weights = torch.from_numpy(chosen.weights).to(labels.device)
    start, means = stack.flat(), []
    for step, chosen_rows, rows, weight in zip(steps, chosen.rows, at, weights, strict=True):
        inputs, batch_labels = functional.embedding(rows, values), labels[rows]
        if hooks.boundary is not None:
            logits = stack.rest(_crossed(stack.front(inputs), step, hooks.boundary))
        else:
            logits = _logits(stack, inputs, batch_labels, weight, hooks)
        counted = hooks.logits(logits.flatten(0, -2), numbers[chosen_rows.ravel()])
        losses = hooks.loss(counted, batch_labels.flatten(0, 1)).view_as(weight)
        mean = (losses * weight).sum(1)
        if not means and hooks.loss is not cross_entropies:
            _require_no_weights(mean.sum(), network)
        gradients = torch.autograd.grad(mean.sum(), stack.parameters())
        if hooks.gradients is not None:
            flat = zip(step, stack.flat(gradients), stack.flat(), start, strict=True)
            changed = [
                hooks.gradients(mini_batch.local_update, *vectors) for mini_batch, *vectors in flat
            ]
            gradients = stack.parts(torch.stack(changed))
        optimiser.step([gradient.contiguous() for gradient in gradients])
        means.append(mean.detach())
    return _mean_over_steps(torch.stack(means), [batch.local_update.seed for batch in steps[0]])


def _mean_over_steps(losses: Tensor, seeds: Sequence[int]) -> Tensor:
    """Return each network's mean of losses (steps, H), as if its repetition were alone.

    A mean over the first dimension rounds by the size of the second.
    """
    means = losses.new_empty(losses.shape[1])
    for seed in dict.fromkeys(seeds):
        of_seed = [index for index, other in enumerate(seeds) if other == seed]
        means[of_seed] = losses[:, of_seed].contiguous().mean(0)
    return means


def _logits(
    stack: NetworkStack, inputs: Tensor, labels: Tensor, weights: Tensor, hooks: Hooks
) -> Tensor:
    """Return logits (H, B, N), or (2, H, B, N) of inputs and of them perturbed."""
    clean = stack(inputs, weights)
    if hooks.perturb is None:
        return clean
    perturbed = hooks.perturb(
        lambda some: stack.adversarial(some, weights), inputs, labels, weights > 0
    )
    return torch.stack([clean, stack.adversarial(perturbed, weights)])


def _require_no_weights(loss: Tensor, network: Sequence[Tensor]) -> None:
    """Raise a ValueError if a loss reads the global network, which does not train in a stack."""
    read = torch.autograd.grad(loss, network, retain_graph=True, allow_unused=True)
    if any(gradient is not None for gradient in read):
        raise ValueError(
            "a hook's loss reads the network's weights, which stacked clients train copies of; "
            "give a term in the weights as Hooks(gradients=...)"
        )


def _crossed(
    features: Sequence[Tensor],
    step: Sequence[MiniBatch],
    boundary: Callable[[Tensor, MiniBatch], Tensor],
) -> list[Tensor]:
    """Return what is given to the second half of every network, without rows that only fill.

    Args:
        features: what each network's first half gives (B, ...).
        step: the mini-batch of each, of at most B rows.
        boundary: what happens there.
    """
    crossed = []
    for values, mini_batch in zip(features, step, strict=True):
        count, filled = len(mini_batch.rows), len(values)
        passed = boundary(values[:count], mini_batch)
        if count < filled:
            passed = torch.cat([passed, passed.new_zeros(filled - count, *passed.shape[1:])])
        crossed.append(passed)
    return crossed
