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
    holding = fedvote.Voting.holding

    def watched(self, uplink):
        hold = holding(self, uplink)

        def watching(learner, round_, arrives):
            hold(learner, round_, arrives)
            if round_.number == 2:
                counts, names = self.counts[uplink.post.seed], learner.split_model.named_parameters
                taken.append((learner.weights(), self.models, counts, list(names)))

        return watching

    monkeypatch.setattr(fedvote.Voting, "holding", watched)
    outcome = run("fedvote", vote_candidates="all", vote_round=2)
    (weights, models, counts, names), *_ = taken
    assert sum(counts) == 4
    winner = models[int(np.argmax(counts))]
    assert torch.equal(weights, torch.cat([winner[name].flatten() for name in names]))
    assert outcome.repetitions[0]["series"]["votes"] == counts
    votes, extra = sent(outcome, part="votes"), sent(outcome, round=2, direction="down")
    assert list(votes["payload_bits"]) == [32] * 4
    assert extra["payload_bits"].max() == 32 * models.numbers
    assert models.numbers == 4 * len(weights)


def test_a_trained_source_fits_and_unrelated_ones_are_without_it(run):
    repetition = run("fedvote", vote_candidates="unrelated", vote_round=2).repetitions[0]
    assert len(repetition["series"]["votes"]) == 3
    assert repetition["rounds_to_target"] == 4  # of three, none gets there


def test_a_source_model_of_another_shape_is_refused(run):
    with pytest.raises(UserError, match=r"has other layers than .*; give source_models of the"):
        run("fedvote", block={"network": WIDER}, vote_candidates="all", vote_round=1)
