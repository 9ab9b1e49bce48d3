"""FedVote on a toy task: whom it equals, which model wins, what its votes weigh."""

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.methods.fedvote import run as fedvote
from unit.methods.framework_toys import WIDER, curve, sent


def test_fedvote_without_sources_is_fedavg(run):
    plain, voted = run("fedavg"), run("fedvote")
    assert plain.repetitions[0]["series"]["loss"] == voted.repetitions[0]["series"]["loss"]
    assert curve(plain) == curve(voted)
    assert sent(plain)["sha256"].equals(sent(voted)["sha256"])


def test_the_most_voted_model_takes_the_global_ones_place(run, monkeypatch):
    monkeypatch.setattr(fedvote, "cka", lambda features, theirs, unbiased: float(theirs.std()))
    taken = []
    hold = fedvote.Ballot.hold

    def watched(self, learner, round_, arrives):
        hold(self, learner, round_, arrives)
        if round_.number == self.round_number:
            taken.append((learner.weights(), self, list(learner.split_model.named_parameters)))

    monkeypatch.setattr(fedvote.Ballot, "hold", watched)
    outcome = run("fedvote", vote_candidates="all", vote_round=2)
    (weights, ballot, names), *_ = taken
    assert sum(ballot.counts) == 4
    winner = ballot.models[int(np.argmax(ballot.counts))]
    assert torch.equal(weights, torch.cat([winner[name].flatten() for name in names]))
    assert outcome.repetitions[0]["series"]["votes"] == ballot.counts
    votes, extra = sent(outcome, part="votes"), sent(outcome, round=2, direction="down")
    assert list(votes["payload_bits"]) == [32] * 4
    assert extra["payload_bits"].max() == 32 * ballot.models.numbers
    assert ballot.models.numbers == 4 * len(weights)


def test_a_trained_source_fits_and_unrelated_ones_are_without_it(run):
    repetition = run("fedvote", vote_candidates="unrelated", vote_round=2).repetitions[0]
    assert len(repetition["series"]["votes"]) == 3
    assert repetition["rounds_to_target"] == 4  # of three, none gets there


def test_a_source_model_of_another_shape_is_refused(run):
    with pytest.raises(UserError, match=r"has other layers than .*; give source_models of the"):
        run("fedvote", block={"network": WIDER}, vote_candidates="all", vote_round=1)
