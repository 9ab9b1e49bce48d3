"""FedVote's round (paper survey, Fig. 13): clients vote for the source model like their own.

After its local epochs every client compares the representation of its own samples by its model with
that by each source model, and votes for the most similar one. The most voted source model takes
the place of the global one, in the layers of equal shape.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from fbftl.exchange.averaging import Server, by_weights
from fbftl.exchange.uplink import Uplink
from fbftl.study.job import Job
from fbftl.tasks.task import LocalLearner, Outcome, SourceModels
from fbftl.training.batches import Round, Rounds
from fbftl.training.curves import first_epoch_at
from fbftl.training.measures import Measure, Series
from fbftl.training.similarity import cka, sketched

TARGET = 0.9
"""Accuracy up to which rounds are counted (paper survey, Sec. 4.1.2)."""

OWN_MEASURES = {
    "rounds_to_target": Measure("rounds", "lower"),
    "votes_for_fitting": Measure("share", "higher"),
    "chose_fitting": Measure("share", "higher"),
}
OWN_SERIES = {"votes": Series("votes", by="source model")}


@dataclass
class Ballot:
    """The vote of one repetition.

    uplink: through which models and votes go.
    models: the source models that are voted on.
    unbiased: which similarity.
    turn: the round of the vote.
    counts: votes of each model, in their order, as far as they arrived.
    """

    uplink: Uplink
    models: SourceModels
    unbiased: bool
    turn: int
    counts: list[int] = field(default_factory=list)

    def hold(self, learner: LocalLearner, one: Round, _: np.ndarray) -> None:
        """Let a round's clients vote after it, if it is the round of the vote."""
        if one.turn != self.turn:
            return
        post, owners = self.uplink.post, self.uplink.owners[one.clients]
        post.broadcast({"weights": self.models.numbers}, one.turn)
        cast = votes(learner, one, self.models, self.unbiased, post.seed)
        arrives = post.up({"votes": 1}, owners, one.turn).arrives
        self.counts = np.bincount(cast[arrives], minlength=len(self.models)).tolist()
        if arrives.any():
            learner.take_over(self.models[int(np.argmax(self.counts))])

    def found(self) -> dict[str, Any]:
        """Return what the repetition tells of its vote; nothing if there was none."""
        if not sum(self.counts):
            return {}
        fitting = np.array([kind == "target" for kind in self.models.kinds])
        counts = np.array(self.counts)
        return {
            "votes_for_fitting": float(counts[fitting].sum() / counts.sum()),
            "chose_fitting": float(fitting[counts.argmax()]),
        }


def votes(
    learner: LocalLearner, one: Round, models: SourceModels, unbiased: bool, seed: int
) -> np.ndarray:
    """Return the number of the model that each client finds most similar to its own, (C,).

    Args:
        learner: whose clients have trained the round; its global weights stay.
        one: the round.
        models: the source models.
        unbiased: which similarity.
        seed: the repetition's seed.
    """
    average = learner.weights()
    compared = [
        sketched(own[present], seed, int(client))
        for client, own, present in zip(one.clients, one.rows, one.present, strict=True)
    ]
    represented = []
    for place, rows in enumerate(compared):
        own = torch.from_numpy(learner.own(one.only(place)))
        learner.set_weights(own.to(average))
        represented.append(learner.represented(rows))
    similar = np.empty((len(compared), len(models)))
    for number, model in enumerate(models):
        learner.take_over(model, whole_front=True)
        for place, rows in enumerate(compared):
            theirs = learner.represented(rows)
            similar[place, number] = cka(represented[place], theirs, unbiased)
    learner.set_weights(average)
    return similar.argmax(axis=1)


@dataclass
class Voting:
    """The votes of all repetitions of a job.

    models: the source models that are voted on.
    ballots: of each seed, if there was a vote.
    """

    job: Job
    models: SourceModels
    ballots: dict[int, Ballot] = field(default_factory=dict)

    def train(self, learner: LocalLearner, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        """Train by averages of weights, with a vote if the setting has one."""
        setting = self.job.setting
        if setting.sources is None:
            return by_weights()(learner, uplink, schedule)
        unbiased = setting.similarity == "unbiased"
        ballot = Ballot(uplink, self.models, unbiased, setting.selection_round)
        self.ballots[uplink.post.seed] = ballot
        return by_weights(lambda: Server(after=ballot.hold))(learner, uplink, schedule)

    def told(self, outcome: Outcome) -> Outcome:
        """Return an outcome with what became of the votes."""
        told = [_told(one, self.ballots.get(one["seed"])) for one in outcome.repetitions]
        measures, series = {**outcome.measures, **OWN_MEASURES}, {**outcome.series, **OWN_SERIES}
        return replace(outcome, repetitions=told, measures=measures, series=series)


def _told(repetition: Mapping[str, Any], ballot: Ballot | None) -> dict[str, Any]:
    """Return a repetition with its vote, and the rounds that it took to the target.

    One that never gets there counts a round more than it had.
    """
    curves = repetition["series"]
    accuracy = curves["test_accuracy"]
    rounds = first_epoch_at(accuracy, TARGET) or len(accuracy) + 1
    votes = {} if ballot is None else {"votes": ballot.counts}
    found = {} if ballot is None else ballot.found()
    return {**repetition, "series": {**curves, **votes}, "rounds_to_target": rounds, **found}
