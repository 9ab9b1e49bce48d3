"""Frameworks over a lossy link: who hears nothing learns alone, what arrives is averaged."""

import pytest
import torch
from fbftl.exchange.personal import Cohort
from fbftl.methods import fd, fedmd
from fbftl.training.tasks.images_samples import open_samples
from unit.methods.frameworks.framework_toys import TWO, cohort_of, sent


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
