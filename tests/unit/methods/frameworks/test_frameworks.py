"""What the survey's frameworks share: rows of clients, first messages by hand, their table."""

import numpy as np
import pytest
import torch
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.encoded import encode_rows
from fbftl.methods import fedmd
from fbftl.training.tasks.images_samples import open_samples
from unit.methods.frameworks.framework_toys import MLP, TWO, cohort_of, sent


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
