"""Split networks (SFL, Sec. II-C): clients hold one part, the server the other.

Smashed data go up, their gradients come down; the clients' parts are averaged as in FL.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.exchange.passes import Passes, Round, passes_of, together
from fbftl.exchange.repetition import Learner, parameter_count
from fbftl.exchange.rounds import Arrivals, Gradient, Own, arriving_weights
from fbftl.exchange.uplink import Exchanged
from fbftl.study.job import Training
from fbftl.training.client_updates import weighted_losses


def split_learner(
    client_part: nn.Module, server_part: nn.Module, example: Tensor, training: Training, seed: int
) -> Learner:
    """Return the learner whose clients send smashed data and their own part's gradient.

    Down come the clients' part, and to each client its smashed data's gradients, which the paper
    leaves out.

    Args:
        client_part: the network up to the cut layer.
        server_part: the rest of it.
        example: inputs of two samples or more, which tell how wide smashed data are.
        training: how a round's samples go through both, dropout and normalisation.
        seed: the repetition's seed.
    """
    passes = passes_of(training, seed, client_part, server_part)
    own = parameter_count(client_part)
    with torch.no_grad():
        width = client_part(example)[0].numel()
    return Learner(
        model=nn.Sequential(client_part, server_part),
        exchanged=Exchanged(
            update=lambda samples: {"activations": samples * width, "update": own},
            model={"weights": own},
            answer=lambda samples: {"gradients": samples * width},
        ),
        together=lambda arrivals: split_gradient(client_part, server_part, arrivals, passes),
        own=own_smashed(client_part, server_part, passes),
        passes=passes,
    )


def split_gradient(
    client_part: nn.Module,
    server_part: nn.Module,
    arrivals: Arrivals,
    passes: Passes = together,
) -> Gradient:
    """Return the gradient of a split network (SFL)."""
    step = split_step(client_part, server_part, passes)

    def gradient(one: Round) -> tuple[Tensor, list[Tensor]]:
        stepped = step(one, arriving_weights(one, arrivals))
        return stepped.loss, [*stepped.of_clients, *stepped.of_server]

    return gradient


def own_smashed(
    client_part: nn.Module, server_part: nn.Module, passes: Passes = together
) -> Own:  # fmt: skip
    """Return what a client of a split network sends: smashed data, then its part's update."""
    step = split_step(client_part, server_part, passes)

    def message(one: Round) -> np.ndarray:
        stepped = step(one, one.present.float())
        told = [*stepped.smashed, *stepped.of_clients]
        return torch.cat([values.flatten() for values in told]).cpu().numpy()

    return message


@dataclass(frozen=True)
class SplitStep:
    """What a round of a split network comes to.

    loss: weighted sum of the samples' losses.
    smashed: what the clients' part gives, a tensor per pass.
    of_clients: gradient of the clients' part, a tensor per parameter.
    of_server: gradient of the server's part, likewise.
    """

    loss: Tensor
    smashed: Sequence[Tensor]
    of_clients: Sequence[Tensor]
    of_server: Sequence[Tensor]


def split_step(
    client_part: nn.Module, server_part: nn.Module, passes: Passes
) -> Callable[[Round, Tensor], SplitStep]:
    """Return a split network's step, from a round and its samples' weights (C, K).

    Smashed data go up, their gradients down: the clients run `client_part` and send its output;
    the main server runs `server_part`, and returns the loss's gradient at that output, from which
    the clients find their own.
    """
    client_parameters = list(client_part.parameters())
    server_parameters = list(server_part.parameters())

    def step(one: Round, weights: Tensor) -> SplitStep:
        smashed, received, losses = [], [], []
        for inputs, labels, own in passes(one, weights):
            smashed.append(client_part(inputs))
            received.append(smashed[-1].detach().requires_grad_())
            losses.append(weighted_losses(server_part(received[-1]), labels, own).sum())
        loss, cut = torch.stack(losses).sum(), len(server_parameters)
        found = torch.autograd.grad(loss, [*server_parameters, *received])
        of_clients = torch.autograd.grad(smashed, client_parameters, found[cut:])
        return SplitStep(
            loss.detach(), [data.detach() for data in received], of_clients, found[:cut]
        )

    return step
