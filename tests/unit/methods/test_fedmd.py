"""FedMD, and FD beside it: consensus, digest, open data, first messages by hand, losses."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.exchange.personal import Cohort
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.encoded import encode_rows
from fbftl.methods import fd, fedmd
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import client_samples
from torch.autograd import grad
from torch.nn import L1Loss, MSELoss
from unit.methods.framework_toys import MLP, TWO, cohort_of, job_of, sent


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


@pytest.mark.parametrize("method", ["fd", "fedmd"])
def test_one_client_has_nobody_to_learn_from(run, method):
    with pytest.raises(UserError, match="has one client, which has nobody to learn from"):
        run(method, clients=1, block={"architectures": [MLP]})


# --- the same clients and rows, and messages by hand ------------------------------------------


@pytest.mark.parametrize("axes", [{}, {"partition": "shards"}])
def test_clients_hold_the_rows_that_fbftl_uploads(run, inputs, axes):
    uploads = sent(run("fbftl", **axes), direction="up", part="features")
    holder = dict(zip(uploads["sample"].astype(int), uploads["client"], strict=True))
    sample = open_store(inputs.manifest).read("train").sample
    for method in ("fd", "fedmd"):
        cohort = cohort_of(inputs, method, TWO if method == "fedmd" else None, **axes)
        holder_by_cohort = {
            int(sample[row]): int(owner)
            for owner, rows in zip(cohort.owners, cohort.rows, strict=True)
            for row in rows
        }
        assert holder_by_cohort == holder
    weights = sent(run("fedavg", **axes), direction="up")
    assert set(weights["client"]) == set(holder.values())


def test_first_messages_are_those_computed_by_hand(run, inputs):
    """The ledger's digests are of what a client's network says after its first round."""
    cohort = cohort_of(inputs, "fd", distillation_weight=1.0)
    samples = cohort.client_data.samples
    cohort.models.train(samples, cohort.rows, 1)
    content = []
    for client, rows in enumerate(cohort.rows):
        of_client = samples.at(rows)
        logits, labels = cohort.models.logits(client, of_client.inputs), of_client.labels
        counts = torch.bincount(labels, minlength=10)
        sums = torch.stack([logits[labels == label].sum(0) for label in range(10)])
        content.append(torch.cat([(sums / counts.clamp(min=1)[:, None]).flatten(), counts]))
    logits_sent = sent(run("fd", distillation_weight=1.0), round=1, direction="up", part="logits")
    decoded = encode_rows(torch.stack(content).numpy(), PLAIN)
    assert len(logits_sent) == 4
    sizes = logits_sent["bits"] + sent(run("fd"), round=1, part="statistics")["bits"].to_numpy()
    assert sizes.tolist() == [decoded.bits[0]] * 4
    cohort = cohort_of(inputs, "fedmd", TWO, transfer_epochs=1)
    public = open_samples(cohort.client_data, "source")
    everything = [np.arange(40)] * 4
    cohort.models.train(public, everything, 4, epochs=1)
    passes = fedmd.own_passes(cohort, 40, 1)
    assert passes == round(5 / 4)  # 40 open samples, 31 own ones, 8 a step
    cohort.models.train(cohort.client_data.samples, cohort.rows, 4, epochs=passes)
    scores = [cohort.models.logits(c, public.inputs).flatten().numpy() for c in range(4)]
    by_hand = encode_rows(np.stack(scores), PLAIN).digests
    outcome = run("fedmd", TWO, transfer_epochs=1)
    assert sent(outcome, round=1, direction="up")["sha256"].tolist() == list(by_hand)


def lost(trained: Cohort, part: str) -> list[bool]:
    rows = trained.post.ledger.table().to_pandas()
    rows = rows[(rows["part"] == part) & (rows["direction"] == "up")]
    return rows.sort_values("client")["lost"].astype(bool).tolist()


@pytest.mark.parametrize(
    ("method", "axes"),
    [
        ("fedmd", {"transfer_epochs": 1}),
        ("fd", {"distillation_weight": 1.0}),
        ("fd", {"distillation_weight": 1.0, "seed_samples": 5}),
    ],
)
def test_who_is_never_heard_learns_alone(run, method, axes):
    block = TWO if method == "fedmd" else None
    outcome = run(method, block, plr=1.0, **axes)
    repetition = outcome.repetitions[0]
    assert set(repetition["series"]["gain_by_client"]) == {0.0}
    assert repetition["test_accuracy"] == repetition["accuracy_alone"]
    up, down = sent(outcome, direction="up"), sent(outcome, direction="down")
    assert up["lost"].dropna().all()
    assert set(down["round"]) <= {0}  # nobody is answered
    lossless = run(method, block, **axes).repetitions[0]
    assert lossless["accuracy_alone"] == repetition["accuracy_alone"]


def test_a_consensus_is_of_the_scores_that_arrive(inputs):
    trained = cohort_of(inputs, "fedmd", TWO, plr=0.5)
    public = open_samples(trained.client_data, "source")
    agreed_on = fedmd.consensus(trained, public, 1)
    missing = lost(trained, "scores")
    assert 0 < sum(missing) < 4
    logits = [trained.models.logits(c, public.inputs) for c in range(4) if not missing[c]]
    torch.testing.assert_close(agreed_on, sum(logits) / len(logits))


def test_teachers_are_of_the_logits_that_arrive(inputs):
    trained = cohort_of(inputs, "fd", plr=0.5)
    teachers = fd.exchanged(trained, 1)
    missing = lost(trained, "logits")
    assert 0 < sum(missing) < 4
    means, counts = fd.label_means(trained.models, trained.client_data.samples, trained.rows, 10)
    for client in range(4):
        for label in range(10):
            others = [
                c for c in range(4) if c != client and not missing[c] and counts[c, label] > 0
            ]
            if others:
                expected = sum(means[c, label] for c in others) / len(others)
                torch.testing.assert_close(teachers[client, label], expected)
            else:
                assert teachers[client, label].isnan().all()


def test_a_product_of_which_a_message_is_lost_ends_there(run):
    outcome = run("secure_ftl", plr=1.0, protection="beaver", common_samples=20)
    assert len(set(outcome.repetitions[0]["series"]["loss"])) == 1
    by_clients = sent(outcome, sender="client")
    assert by_clients["lost"].all()
    assert len(by_clients) == 2 * 3  # the first share of both gradients, of three rounds
    assert len(sent(outcome, sender="dealer")) == 2 * 2 * 3
