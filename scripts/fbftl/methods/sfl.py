"""SFL (Sec. II-C): split federated learning from random initial values.

The clients hold the network up to the cut layer and send smashed data, whose gradients come down;
the main server holds the rest; the fed server averages the clients' parts as in FL. With one local
step it equals FL numerically.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Traffic
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.client_updates import weighted_losses
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import Passes, RoundBatch, TrainingData, passes_of, together
from fbftl.training.tasks.task import Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)

    def split(repetition: Repetition) -> SplitNetwork:
        parts = client_data.target.random(job, repetition.seed)
        passes = passes_of(job.network_training, repetition.seed, *parts)
        return SplitNetwork(
            *parts, client_data.training_data(repetition, client_data.samples), passes
        )

    return run_rounds(job, client_data, split, split_exchange)


@dataclass(frozen=True)
class SplitStep:
    """What a round of a split network comes to.

    loss: weighted sum of the samples' losses.
    smashed: what the clients' part gives, a tensor per pass.
    of_clients: gradient of the clients' part, a tensor per parameter.
    of_server: gradient of the server's part, a tensor per parameter.
    """

    loss: Tensor
    smashed: Sequence[Tensor]
    of_clients: Sequence[Tensor]
    of_server: Sequence[Tensor]


class SplitNetwork(TrainedNetwork):
    """A network in two parts that rounds of clients train: a `Learner` of `tasks.task`.

    Args:
        client_part: the network up to the cut layer.
        server_part: the rest of it.
        training_data: what both train on.
        passes: how a round's samples go through both.
    """

    def __init__(
        self, client_part: nn.Module, server_part: nn.Module, training_data: TrainingData,
        passes: Passes = together,
    ) -> None:  # fmt: skip
        super().__init__(nn.Sequential(client_part, server_part), training_data, passes)
        self.client_part, self.server_part = client_part, server_part

    @property
    def client_floats(self) -> int:
        """Numbers of the clients' part."""
        return sum(parameter.numel() for parameter in self.client_part.parameters())

    @cached_property
    def smashed_floats(self) -> int:
        """Numbers of one sample's smashed data; two samples tell, as batches may be normalised."""
        with torch.no_grad():
            return self.client_part(self.training_data.samples.at(np.arange(2)).inputs)[0].numel()

    def mean_gradient(self, round_: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return loss and gradient, the latter in two parts that meet at the smashed data."""
        stepped = self._step(*self.weighted(round_, arrives))
        return stepped.loss, [*stepped.of_clients, *stepped.of_server]

    def client_message(self, round_: Round) -> np.ndarray:
        """Return what the one client of a round sends: smashed data, then its part's update."""
        batch = self.batch(round_)
        stepped = self._step(batch, batch.present.float())
        sent = [*stepped.smashed, *stepped.of_clients]
        return torch.cat([values.flatten() for values in sent]).cpu().numpy()

    def _step(self, batch: RoundBatch, weights: Tensor) -> SplitStep:
        """Return what a round comes to, from its samples and their weights (C, K).

        The clients run their part and send its output; the main server runs the rest, and returns
        the loss's gradient at that output, from which the clients find their own.
        """
        client_parameters = list(self.client_part.parameters())
        server_parameters = list(self.server_part.parameters())
        smashed, received, losses = [], [], []
        for inputs, labels, sample_weights in self.passes(batch, weights):
            smashed.append(self.client_part(inputs))
            received.append(smashed[-1].detach().requires_grad_())
            losses.append(
                weighted_losses(self.server_part(received[-1]), labels, sample_weights).sum()
            )
        loss, cut = torch.stack(losses).sum(), len(server_parameters)
        gradients = torch.autograd.grad(loss, [*server_parameters, *received])
        of_clients: Sequence[Tensor] = ()  # what is cut at its input has nothing to train there
        if client_parameters:
            of_clients = torch.autograd.grad(smashed, client_parameters, gradients[cut:])
        return SplitStep(
            loss.detach(), [data.detach() for data in received], of_clients, gradients[:cut]
        )


def split_exchange(learner: SplitNetwork) -> Traffic:
    """Return what goes up and down: smashed data and the gradient of the clients' own part.

    Down come the clients' part, and to each client its smashed data's gradients, which the paper
    leaves out.
    """
    client_part, width = learner.client_floats, learner.smashed_floats
    return Traffic(
        update=lambda samples: {"activations": samples * width, "update": client_part},
        model={"weights": client_part},
        answer=lambda samples: {"gradients": samples * width},
    )
