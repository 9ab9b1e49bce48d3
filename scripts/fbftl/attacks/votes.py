"""What a vote for a source model tells of a client's labels (FedVote).

The server plays the round of the vote itself, with clients that it deals out of open samples as
the task's own are dealt: they train from the same global model and vote on the same source models.
From those that voted as a client did it takes their mean share of each label for the client's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch import Tensor

from fbftl.attacks.attained import Attained, label_counts, share_right
from fbftl.attacks.label_recovery import blind_counts, whole_counts
from fbftl.data.participation import Holdings, clients_of, grouped
from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.voting import votes
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, LocalLearner, Repetition, SourceModels
from fbftl.training.batches import Round

DEALS = 4
"""Times that the open samples are dealt out."""


@dataclass
class Polling:
    """A server that sees every vote, and asks clients of its own what they would have voted.

    held: what the task's clients hold.
    models: the source models that are voted on.
    before: the global weights that the round of the vote began with.
    clients: (C,) who voted.
    cast: (C,) the model that each voted for.
    rows: of each client.
    """

    job: Job
    held: HeldSamples
    models: SourceModels
    before: Tensor | None = None
    clients: Sequence[int] = ()
    cast: Sequence[int] = ()
    rows: Sequence[np.ndarray] = ()

    def begun(self, repetition: Repetition) -> LocalLearner:
        """Begin a repetition, and remember with what."""
        learner, self.rows = self.held.local(repetition), repetition.clients
        self.before = learner.weights()
        return learner

    def after(self, learner: LocalLearner, one: Round, _: np.ndarray) -> None:
        """Keep the votes of the round, or the weights of one before it."""
        if one.turn < self.job.setting.selection_round:
            self.before = learner.weights()
            return
        self.clients, self.cast = one.clients.tolist(), self._votes(learner, one, self.job.seeds[0])

    def play(self) -> None:
        """Play a setting's first seed to the round of the vote."""
        ended = replace(self.job.training, rounds=self.job.setting.selection_round)
        alone = replace(self.job, seeds=self.job.seeds[:1], training=ended)
        train = by_weights(lambda: Server(after=self.after))
        run_rounds(alone, self.held, self.begun, weights_or_updates(alone), None, train)

    def dealt(self, open_samples: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return votes (C,) and label counts (C, N) of clients that open samples are dealt to."""
        labels = open_samples.labels.cpu().numpy()
        nobody = Holdings(np.zeros(len(labels), dtype=np.int64), labels)
        client = clients_of(self.job, nobody, seed)
        _, rows = grouped(np.arange(len(labels)), client)
        held = replace(self.held, samples=open_samples, holdings=nobody)
        every = replace(self.job.training, clients_per_round=len(rows), rounds=1)
        job = replace(self.job, training=every)
        learner = held.local(Repetition(job, seed, rows, np.arange(0)))
        learner.set_weights(self.before)
        (one,) = next(iter(learner.schedule)).single(0)
        learner.train(one)
        counts = label_counts(labels, [rows[own] for own in one.clients], self.held.classes)
        return self._votes(learner, one, seed), np.array(counts)

    def _votes(self, learner: LocalLearner, one: Round, seed: int) -> np.ndarray:
        return votes(learner, one, self.models, self.job.setting.similarity == "unbiased", seed)


def labels_of_votes(job: Job, held: HeldSamples, open_samples: Any) -> Attained:
    """Return the share of a client's samples whose label its vote tells."""
    related = job.setting.sources != "unrelated"
    polling = Polling(job, held, held.source_models(job, related))
    polling.play()
    polls = [polling.dealt(open_samples, seed) for seed in range(DEALS)]
    cast, counts = (np.concatenate(own) for own in zip(*polls, strict=True))
    labels = held.samples.labels.cpu().numpy()
    true = label_counts(labels, [polling.rows[own] for own in polling.clients], held.classes)
    balanced = [blind_counts(held.classes, int(own.sum())) for own in true]
    told = [
        expected(counts[cast == vote], own)
        for vote, own in zip(polling.cast, balanced, strict=True)
    ]
    blind = float(np.mean(share_right(true, balanced)))
    measure = "share of labels right"
    return Attained("label recovery", "server", measure, share_right(true, told), blind)


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
