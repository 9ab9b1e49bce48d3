"""Adaptation of a network's last layers to one client, its front frozen (paper survey, Fig. 15).

The loss is the cross-entropy plus eta times CORAL (Sun & Saenko 2016), the distance of second
moments between source and client: ||C_S - C_T||_F^2 / (4 d^2), of the d inputs of the last layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.training.local_updates import (
    LocalPlan,
    LocalUpdate,
    SplitModel,
    flattened,
    mini_batches,
    set_flat,
)
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.samples import LabelledSamples


@dataclass(frozen=True)
class Alignment:
    """What a client's activations are drawn to.

    covariance: (d, d) of the source's inputs of the last layer.
    weight: eta.
    """

    covariance: Tensor
    weight: float

    def loss(self, hidden: Tensor) -> Tensor:
        """Return eta times CORAL of a batch's inputs (B, d) of the last layer; 0 for one sample."""
        if len(hidden) < 2:
            return hidden.new_zeros(())
        apart = self.covariance - covariance(hidden)
        return self.weight * apart.square().sum() / (4 * hidden.shape[1] ** 2)


def covariance(values: Tensor) -> Tensor:
    """Return the unbiased covariance (d, d) of values (n, d), n at least 2."""
    centred = values - values.mean(0)
    return centred.T @ centred / (len(values) - 1)


@torch.no_grad()
def last_inputs(split_model: SplitModel, inputs: Tensor) -> Tensor:
    """Return what enters the network's last layer, (n, d)."""
    return before_last(split_model.rest)(split_model.front(inputs))


def before_last(rest: nn.Module) -> nn.Sequential:
    """Return the second half without its last layer, the same modules."""
    return nn.Sequential(*list(rest.children())[:-1])


def adapted(
    split_model: SplitModel, samples: LabelledSamples, local_updates: Sequence[LocalUpdate],
    plan: LocalPlan, alignment: Alignment,
) -> list[Tensor]:  # fmt: skip
    """Return each client's second half after adaptation, flat; the network stays as it is.

    Args:
        split_model: the global network.
        samples: what the clients hold.
        local_updates: the clients, with their rows.
        plan: how they train; its epochs are those of the adaptation.
        alignment: what they are drawn to.
    """
    parameters = list(split_model.rest.parameters())
    initial, fitted = flattened(parameters), []
    try:
        for local_update in local_updates:
            set_flat(parameters, initial)
            _adapt(split_model, samples, local_update, plan, alignment)
            fitted.append(flattened(parameters))
    finally:
        set_flat(parameters, initial)
    return fitted


def _adapt(
    split_model: SplitModel, samples: LabelledSamples, local_update: LocalUpdate, plan: LocalPlan,
    alignment: Alignment,
) -> None:  # fmt: skip
    """Train the second half in place on one client's samples."""
    *_, last = split_model.rest.children()
    inner, optimiser = before_last(split_model.rest), OPTIMISERS[plan.optimiser]
    stepper = optimiser.alone(list(split_model.rest.parameters()), plan.training)
    samples_of_client = samples.at(np.sort(local_update.rows))
    with torch.no_grad():
        features = split_model.front(samples_of_client.inputs)
    places = replace(local_update, rows=np.arange(len(local_update.rows)))
    for _, rows in mini_batches(places, plan):
        at = torch.from_numpy(rows).to(samples_of_client.labels.device)
        hidden = inner(features[at])
        loss = functional.cross_entropy(last(hidden), samples_of_client.labels[at])
        if alignment.weight:
            loss = loss + alignment.loss(hidden)
        gradients = torch.autograd.grad(loss, stepper.parameters)
        stepper.step([gradient.contiguous() for gradient in gradients])
