"""What the weights tell that clients send after local epochs: who was trained on.

A repetition is run again with a server that keeps what it is sent: the weights of every client
in the last round, and their average, which all clients get.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.attacks.attained import Attained
from fbftl.attacks.membership import auc_by_losses, every
from fbftl.exchange.averaging import Server, by_samples, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Uplink
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.tasks.task import ClientSamples, Repetition

Begin = Callable[[Repetition], LocalNetwork]

After = Callable[[LocalNetwork, Round, np.ndarray], None]
"""What a server does after a round whose clients' messages arrived or not, (C,)."""

Further = Callable[[Uplink], After]
"""What a setting's server does after every round of a repetition."""

OF_AVERAGE = "any client, of the average"
"""The adversary that no encryption of what is sent keeps out."""


@dataclass
class Watching:
    """A server that averages by samples and keeps what it has seen.

    make_learner: gives a repetition's learner.
    rows: of each client, once it has begun.
    weights: (C, X) sent in the last round.
    clients: (C,) who sent them.
    """

    make_learner: Begin
    learner: LocalNetwork | None = None
    rows: Sequence[np.ndarray] = ()
    weights: Tensor | None = None
    clients: Sequence[int] = ()

    def initialise(self, repetition: Repetition) -> LocalNetwork:
        """Begin and remember whom."""
        self.learner, self.rows = self.make_learner(repetition), repetition.clients
        return self.learner

    def average(self, weights: Tensor, counts: np.ndarray) -> Tensor:
        """Keep a round's weights; return their average."""
        self.weights = weights
        return by_samples(weights, counts)

    def run_first_seed(
        self, job: Job, client_data: ClientSamples, further: Further = lambda _: lambda *_: None
    ) -> None:
        """Run a setting's first seed.

        Args:
            job: the setting.
            client_data: what its clients hold.
            further: what its server does after every round beside averaging, given the uplink.
        """

        def train(learner: LocalNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
            also = further(uplink)

            def after(learner: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
                also(learner, round_, arrives)
                self.clients = round_.clients[arrives].tolist()

            server = Server(aggregate=self.average, after=after)
            return by_weights(lambda: server)(learner, uplink, schedule)

        alone = replace(job, seeds=job.seeds[:1])
        run_rounds(alone, client_data, self.initialise, weights_or_updates(job), None, train)


@torch.no_grad()
def membership_in_weights(watching: Watching, client_data: ClientSamples) -> list[Attained]:
    """Return how well losses under the last weights tell a client's own samples from test ones.

    First under those that it sent, as the server sees them in clear; then under their average,
    which every client sees, whatever protects what is sent.
    """
    average = watching.learner.weights()
    sides = [
        ("server, of a client's weights", list(watching.weights)),
        (OF_AVERAGE, [average] * len(watching.clients)),
    ]
    test = every(client_data.test)
    attained = []
    for adversary, weights in sides:
        aucs = []
        for client, client_weights in zip(watching.clients, weights, strict=True):
            watching.learner.set_weights(client_weights)
            members = client_data.samples.at(watching.rows[client])
            aucs.append(auc_by_losses(watching.learner.model, members, test))
        attained.append(Attained("membership", adversary, "AUC", aucs, 0.5))
    watching.learner.set_weights(average)
    return attained
