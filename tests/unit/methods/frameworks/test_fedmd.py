"""FedMD on a toy task: its consensus, its digest, its open data, what it sends."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.methods import fedmd
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import client_samples
from torch.autograd import grad
from torch.nn import L1Loss, MSELoss
from unit.methods.frameworks.framework_toys import TWO, cohort_of, job_of, sent


def test_a_digest_without_a_rate_is_training_alone(run):
    axes = {"block": TWO, "transfer_epochs": 1}
    repetition = run("fedmd", digest_rate=1e-30, **axes).repetitions[0]
    assert set(repetition["series"]["gain_by_client"]) == {0.0}
    assert run("fedmd", **axes).repetitions[0]["test_accuracy"] != repetition["test_accuracy"]


def test_open_data_of_the_target_are_nobodys(inputs):
    job = job_of("fedmd", TWO)
    client_data = client_samples(job, inputs)
    everybody = open_samples(client_data, "target").inputs
    parts = (client_data.samples, 124), (client_data.test, 30)
    private = torch.cat([split.at(np.arange(count)).inputs for split, count in parts])
    assert not (everybody[:, None] == private[None]).flatten(2).all(2).any()
    assert open_samples(client_data, "source").labels.max() < 10


def gathered_at(inputs, **axes):
    """Return a cohort that scores open letters as a setting asks, and the letters."""
    cohort = cohort_of(inputs, "fedmd", TWO, **axes)
    return cohort, open_samples(cohort.client_data, "source")


def test_alignment_samples_are_drawn_anew_in_every_round_and_sent_as_many(run, inputs):
    cohort, public = gathered_at(inputs, alignment_samples=7)
    drawn = [
        fedmd.scored_samples(cohort, public, round_number).inputs for round_number in (1, 1, 2)
    ]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert len(drawn[0].flatten(1).unique(dim=0)) == 7
    outcome = run("fedmd", TWO, transfer_epochs=1, alignment_samples=7)
    assert set(sent(outcome, part="scores")["payload_bits"]) == {7 * 10 * 32}


def test_all_alignment_samples_are_those_that_there_are(inputs):
    cohort, public = gathered_at(inputs)
    assert fedmd.scored_samples(cohort, public, 1) is public
    more, _ = gathered_at(inputs, alignment_samples=41)
    with pytest.raises(UserError, match="41 open samples of 40; give alignment_samples at most 40"):
        fedmd.scored_samples(more, public, 1)


@pytest.mark.parametrize(("name", "loss"), [("absolute", L1Loss()), ("squared", MSELoss())])
def test_a_digest_steps_by_the_mean_loss_of_the_mean_scores(inputs, name, loss):
    cohort, public = gathered_at(inputs, digest_loss=name, digest_rate=0.5)
    models = cohort.models
    models.plan = replace(models.plan, batch=None)
    clients = range(len(cohort.owners))
    agreed = sum(models.logits(client, public.inputs) for client in clients) / len(clients)
    torch.testing.assert_close(fedmd.consensus(cohort, public, 1), agreed)
    stepped = []
    for client in clients:
        network = models.network(client)
        distance = loss(network.whole(public.inputs), agreed)
        gradient = torch.cat([g.flatten() for g in grad(distance, network.parameters)])
        decay = models.plan.training.weight_decay * models.weights[client]
        stepped.append(models.weights[client] - 0.5 * 0.1 * (gradient + decay))
    fedmd.digest({0: cohort}, public, {0: agreed}, 1)
    torch.testing.assert_close(models.weights, stepped, rtol=1e-5, atol=1e-7)
