"""SCAFFOLD (Karimireddy et al. 2020, arXiv:1910.06378): local steps corrected by control variates.

A client steps with g - c_i + c (Eq. 3). Its new c_i is the mean of its local update's gradients g:
under plain SGD that is Option II, c_i - c + (x - y_i) / (K η), whatever the rates of the steps. The
server averages weights and controls by numbers of samples, as FedAvg here does, so that the rounds
end where the loss of all samples is least; with equal numbers that is the paper's average, at a
global step of 1. A client's control changes where its message arrives, so that c stays the average
of all c_i. docs/papers/rivals.md compares it with public code.
"""

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.averaging import Server, by_weights
from fbftl.exchange.repetition import parameter_count, run_rounds
from fbftl.exchange.uplink import Traffic
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import Hooks, LocalUpdate
from fbftl.training.tasks.task import Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data, controls = client_samples(job, inputs), Controls()

    def initial(repetition: Repetition) -> LocalNetwork:
        controls.reset(repetition)
        return local_network(client_data, repetition, Hooks(gradients=controls.corrected))

    train = by_weights(controls.server)
    return run_rounds(job, client_data, initial, controls.exchanged, train=train)


class Controls:
    """Control variates of one repetition at a time: c at the server, c_i at each client."""

    def reset(self, repetition: Repetition) -> None:
        """Begin a repetition with all controls zero."""
        self.samples = sum(map(len, repetition.clients))
        self.common: Tensor | float = 0.0
        self.clients: dict[int, Tensor] = {}
        self._gradients: dict[int, tuple[int, Tensor]] = {}

    def corrected(self, local_update: LocalUpdate, gradient: Tensor, *_: Tensor) -> Tensor:
        """Return what a client steps with, (X,), and add the gradient to its local update's."""
        steps, total = self._gradients.get(local_update.client, (0, torch.zeros_like(gradient)))
        self._gradients[local_update.client] = steps + 1, total + gradient
        return gradient + (self.common - self.clients.get(local_update.client, 0.0))

    def change(self, client: int) -> Tensor:
        """Return by what the local update of a client changes its control, (X,)."""
        steps, total = self._gradients[client]
        return total / steps - self.clients.get(client, 0.0)

    def exchanged(self, learner: LocalNetwork) -> Traffic:
        """Return what is exchanged: weights and a control, both ways."""
        parts = dict.fromkeys(("weights", "control"), parameter_count(learner))

        def message(round_: Round) -> np.ndarray:
            return np.append(
                learner.client_message(round_), self.change(int(round_.clients[0])).cpu().numpy()
            )

        return Traffic(lambda _: parts, parts, message=message)

    def server(self) -> Server:
        """Return FedAvg's server, which keeps the common control besides."""
        return Server(after=self._keep)

    def _keep(self, _: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
        for client, count in zip(round_.clients[arrives], round_.counts[arrives], strict=True):
            change = self.change(int(client))
            self.common = self.common + change * (count / self.samples)
            self.clients[int(client)] = self.clients.get(int(client), 0.0) + change
        self._gradients.clear()
