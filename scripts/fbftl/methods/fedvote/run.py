"""A run of FedVote (paper survey, Fig. 13): clients vote for the source model like their own.

After its local epochs every client compares the representation of its own samples by its model with
that by each source model, and votes for the most similar one. The most voted source model takes
the place of the global one, in the layers of equal shape.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch

from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Uplink
from fbftl.methods.fedvote.sources import SourceModels, cka, sketched, source_models
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.curves import Measure, Series, first_epoch_at
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the network from scratch with one vote, one repetition per seed."""
    client_data = client_samples(job, inputs)
    voting = Voting(
        job, source_models(client_data, job, related=job.setting.vote_candidates != "unrelated")
    )
    initial, exchanged = partial(local_network, client_data), weights_or_updates(job)
    return voting.with_measures(
        run_rounds(job, client_data, initial, exchanged, inputs.room.folder, voting.train)
    )


TARGET = 0.9
"""Accuracy up to which rounds are counted (paper survey, Sec. 4.1.2)."""

OWN_MEASURES = {"rounds_to_target": Measure("rounds", "lower")}
OWN_SERIES = {"votes": Series("votes", by="source model")}


def votes(
    learner: LocalNetwork, round_: Round, models: SourceModels, unbiased: bool, seed: int
) -> np.ndarray:
    """Return the number of the model that each client finds most similar to its own, (C,).

    Args:
        learner: whose clients have trained the round; its global weights stay.
        round_: the round.
        models: the source models.
        unbiased: which similarity.
        seed: the repetition's seed.
    """
    average = learner.weights()
    compared = [
        sketched(client_rows[present], seed, int(client))
        for client, client_rows, present in zip(
            round_.clients, round_.rows, round_.present, strict=True
        )
    ]
    represented = []
    for index, rows in enumerate(compared):
        weights = torch.from_numpy(learner.client_message(round_.only(index)))
        learner.set_weights(weights.to(average))
        represented.append(learner.represented(rows))
    similar = np.empty((len(compared), len(models)))
    for number in range(len(models)):
        learner.take_over(models[number], whole_front=True)
        for index, rows in enumerate(compared):
            theirs = learner.represented(rows)
            similar[index, number] = cka(represented[index], theirs, unbiased)
    learner.set_weights(average)
    return similar.argmax(axis=1)


@dataclass
class Voting:
    """The votes of all repetitions of a job.

    models: the source models that are voted on.
    counts: votes of each model, in their order, as far as they arrived, by seed.
    """

    job: Job
    models: SourceModels
    counts: dict[int, list[int]] = field(default_factory=dict)

    def train(self, learner: LocalNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        """Train by averages of weights, with a vote if the setting has one."""
        if self.job.setting.vote_candidates is None:
            return by_weights()(learner, uplink, schedule)
        hold = self.holding(uplink)
        return by_weights(lambda: Server(after=hold))(learner, uplink, schedule)

    def holding(self, uplink: Uplink) -> Callable[[LocalNetwork, Round, np.ndarray], None]:
        """Return what lets a repetition's clients vote after the round of the vote."""
        setting, post = self.job.setting, uplink.post
        self.counts[post.seed] = []

        def hold(learner: LocalNetwork, round_: Round, _: np.ndarray) -> None:
            if round_.number != setting.vote_round:
                return
            post.broadcast({"weights": self.models.numbers}, round_.number)
            unbiased = setting.cka_estimator == "unbiased"
            cast = votes(learner, round_, self.models, unbiased, post.seed)
            arrives = post.up({"votes": 1}, uplink.owners[round_.clients], round_.number).arrives
            counts = np.bincount(cast[arrives], minlength=len(self.models))
            self.counts[post.seed] = counts.tolist()
            if arrives.any():
                learner.take_over(self.models[int(np.argmax(counts))])

        return hold

    def with_measures(self, outcome: Outcome) -> Outcome:
        """Return an outcome with the measures of its votes."""
        return outcome.with_more(self._vote, OWN_MEASURES, OWN_SERIES)

    def _vote(self, repetition: dict[str, Any]) -> dict[str, Any]:
        """Return the vote of a repetition, and the rounds that it took to the target.

        One that never gets there counts a round more than it had.
        """
        curves, votes_of = repetition["series"], self.counts.get(repetition["seed"])
        accuracy = curves["test_accuracy"]
        rounds = {"rounds_to_target": first_epoch_at(accuracy, TARGET) or len(accuracy) + 1}
        if votes_of is None:
            return rounds
        return {"series": {**curves, "votes": votes_of}, **rounds}
