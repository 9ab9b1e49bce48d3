"""What an adversary gets of the votes and the weights of FedVote's clients.

The server plays the round of the vote itself, with clients that it deals out of open samples as
the task's own are dealt: they train from the same global model and vote on the same source models.
From those that voted as a client did it takes their mean share of each label for the client's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from fbftl.attacks.attained import Attained, label_counts, labels_recovered
from fbftl.attacks.label_recovery import blind_counts, whole_counts
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.data.participation import Partition, clients_of, grouped
from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedvote.run import Voting, votes
from fbftl.methods.fedvote.sources import SourceModels, source_models
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import ClientSamples, Repetition

DEALS = 4
"""Times that the open samples are dealt out."""


@dataclass
class Polling:
    """A server that sees every vote, and asks clients of its own what they would have voted.

    client_data: what the task's clients hold.
    models: the source models that are voted on.
    before: the global weights that the round of the vote began with.
    clients: (C,) who voted.
    cast: (C,) the model that each voted for.
    rows: of each client.
    """

    job: Job
    client_data: ClientSamples
    models: SourceModels
    before: Tensor | None = None
    clients: Sequence[int] = ()
    cast: Sequence[int] = ()
    rows: Sequence[np.ndarray] = ()

    def initialise(self, repetition: Repetition) -> LocalNetwork:
        """Begin a repetition, and remember with what."""
        learner, self.rows = local_network(self.client_data, repetition), repetition.clients
        self.before = learner.weights()
        return learner

    def after(self, learner: LocalNetwork, round_: Round, _: np.ndarray) -> None:
        """Keep the votes of the round, or the weights of one before it."""
        if round_.number < self.job.setting.vote_round:
            self.before = learner.weights()
            return
        self.clients = round_.clients.tolist()
        self.cast = self._votes(learner, round_, self.job.seeds[0])

    def run_to_vote(self) -> None:
        """Run a setting's first seed to the round of the vote."""
        ended = replace(self.job.training, rounds=self.job.setting.vote_round)
        alone = replace(self.job, seeds=self.job.seeds[:1], training=ended)
        train = by_weights(lambda: Server(after=self.after))
        run_rounds(alone, self.client_data, self.initialise, weights_or_updates(alone), None, train)

    def simulated(self, open_samples: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return votes (C,) and label counts (C, N) of clients that open samples are dealt to."""
        labels = open_samples.labels.cpu().numpy()
        nobody = Partition(np.zeros(len(labels), dtype=np.int64), labels)
        client = clients_of(self.job, nobody, seed)
        _, rows = grouped(np.arange(len(labels)), client)
        client_data = replace(self.client_data, samples=open_samples, partition=nobody)
        every = replace(self.job.training, clients_per_round=len(rows), rounds=1)
        job = replace(self.job, training=every)
        learner = local_network(client_data, Repetition(job, seed, rows, np.arange(0)))
        learner.set_weights(self.before)
        (round_,) = next(iter(learner.schedule)).single(0)
        learner.train(round_)
        counts = label_counts(
            labels, [rows[client] for client in round_.clients], self.client_data.classes
        )
        return self._votes(learner, round_, seed), np.array(counts)

    def _votes(self, learner: LocalNetwork, round_: Round, seed: int) -> np.ndarray:
        return votes(
            learner, round_, self.models, self.job.setting.cka_estimator == "unbiased", seed
        )


def labels_of_votes(polling: Polling) -> Attained:
    """Return the share of a client's samples whose label its vote tells."""
    client_data = polling.client_data
    polling.run_to_vote()
    public = open_samples(client_data, "target")
    polls = [polling.simulated(public, seed) for seed in range(DEALS)]
    cast, counts = (np.concatenate(part) for part in zip(*polls, strict=True))
    labels = client_data.samples.labels.cpu().numpy()
    rows, classes = [polling.rows[client] for client in polling.clients], client_data.classes
    guessed = [
        expected(counts[cast == vote], blind_counts(classes, len(of_client)))
        for vote, of_client in zip(polling.cast, rows, strict=True)
    ]
    return labels_recovered(labels, rows, guessed, classes)


def expected(alike: np.ndarray, balanced: np.ndarray) -> np.ndarray:
    """Return a client's label counts (N,) by those (m, N) of clients that voted as it did.

    Args:
        alike: counts of these clients.
        balanced: the guess without any, whose sum is the number of the client's samples.
    """
    if not len(alike):
        return balanced
    samples = int(balanced.sum())
    share = alike.sum(0) / alike.sum()
    return whole_counts(samples * share, np.zeros_like(balanced), samples)


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack votes by clients that are dealt open samples of the task's kind; weights."""
    watching = Watching(partial(local_network, client_data))
    models = source_models(client_data, job, job.setting.vote_candidates != "unrelated")
    watching.run_first_seed(job, client_data, Voting(job, models).holding)
    of_votes = labels_of_votes(Polling(job, client_data, models))
    return [of_votes, *membership_in_weights(watching, client_data)]
