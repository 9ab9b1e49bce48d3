"""ECOS on toy blobs: what is sent, what it costs in privacy, and what is bought by it."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.ring import FRACTION_BITS
from fbftl.messages.codec import encode
from fbftl.methods.by_name import train
from fbftl.methods.ecos.coverage import counts_guarantee, counts_sigma, nearest
from fbftl.methods.ecos.public_rows import PublicPool, public_rows
from fbftl.methods.ecos.run import chosen
from fbftl.privacy.accounting import rounds_epsilon
from fbftl.training.tasks.task import client_features
from unit.methods.method_toys import COUNTS, ONE_SHOT, WIDTH, Blobs, job, one_shot, with_public

QUERIES = {
    "neighbours": 20,
    "vote_noise": 4.0,
    "confidence_noise": 4.0,
    "query_sampling": 0.8,
    "labels_per_class": 5,
    "teacher_weight": 0.1,
    "temperature": 10.0,
}
AWAY = 6.0
BOUGHT = 40


class Sold(Blobs):
    """The blobs, three of four in a domain where everything lies elsewhere."""

    def batches(self, split, size, start=0):
        for batch in super().batches(split, size, start):
            domain = (batch.sample % 4 > 0).astype(np.int32)
            moved = batch.arrays["x"][:, ::-1] + AWAY
            values = np.where(domain[:, None] == 1, moved, batch.arrays["x"]).astype(np.float32)
            yield replace(batch, arrays=batch.arrays | {"x": values, "domain": domain})


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return with_public(tmp_path_factory.mktemp("toy"), Sold())


def buying(sold=("plain", "inverted"), queries=None, **axes):
    """Return a job that buys rows, with what it is told of the cloud."""
    block = {"public": {"sources": [{"domains": list(sold)}]}, "one_shot": ONE_SHOT}
    block |= {"outsourcing": QUERIES | (queries or {})}
    return job({"method": "ecos", "purchase": BOUGHT, "centroids": 8} | axes, block)


def run(inputs, **axes):
    return train([buying(**axes)], inputs)[0]


def test_counts_without_noise_are_those_of_brute_force(inputs):
    outcome = run(inputs)
    client_data = client_features(buying(), inputs)
    for repetition in outcome.repetitions:
        clusters = PublicPool(client_data, public_rows(inputs.public_manifest)).clusters(
            8, repetition["seed"]
        )
        near = nearest(client_data.payload.values, clusters.centroids)
        counted = [int((near == cluster).sum()) for cluster in range(8)]
        assert repetition["series"]["scores"] == counted
        assert sum(counted) == COUNTS["train"]


def test_counts_find_the_clients_domain_and_choices_buy_equally_much(inputs):
    by_choice = {
        choice: run(inputs, purchase_rule=choice).repetitions[0]
        for choice in ("ecos", "proximity", "random", "kcenter", "ideal")
    }
    assert {repetition["bought"] for repetition in by_choice.values()} == {BOUGHT}
    assert {repetition["inherent_share"] for repetition in by_choice.values()} == {0.25}
    assert by_choice["ideal"]["own_share"] == 1
    assert min(by_choice[choice]["own_share"] for choice in ("ecos", "proximity")) > 0.9
    assert by_choice["random"]["own_share"] < 0.5
    assert by_choice["ecos"]["test_accuracy"] > by_choice["random"]["test_accuracy"] + 0.1
    assert all(
        len(set(repetition["series"]["purchase"])) == BOUGHT for repetition in by_choice.values()
    )


@pytest.mark.parametrize("bits", [32, 8])
def test_the_purchase_follows_from_the_message_alone(inputs, bits):
    axes = {"mechanism": "counts", "sigma": 3.0, "count_sampling": 0.8, "clients": 1, "bits": bits}
    outcome = run(inputs, **axes)
    rows = outcome.ledger.table().to_pandas()
    client_data = client_features(buying(), inputs)
    pool = PublicPool(client_data, public_rows(inputs.public_manifest))
    for repetition in outcome.repetitions:
        seed, scores = repetition["seed"], np.array(repetition["series"]["scores"])
        sent = rows.query(f"seed == {seed} and direction == 'up'").iloc[0]
        assert (sent["part"], sent["payload_bits"]) == ("scores", 8 * bits)
        if bits == 32:
            assert sha256(encode(scores.astype(np.float32))).digest() == sent["sha256"]
        setting = buying(**axes).setting
        again = chosen(setting, pool.rows, pool.clusters(8, seed), scores, seed)
        assert again.tolist() == repetition["series"]["purchase"]
    down = rows.query("seed == 0 and direction == 'down'").set_index("part")["payload_bits"]
    assert down["centroids"] == 32 * 8 * WIDTH


def test_masked_counts_of_one_client_that_takes_part_are_refused(inputs):
    """The plan does not know how many clients data name."""
    with pytest.raises(UserError, match="masks the counts of one client"):
        run(inputs, aggregation="masked", fraction=0.01)


def test_masked_counts_have_the_sum_of_open_ones(inputs):
    open_, masked = (run(inputs, aggregation=how).repetitions[0] for how in ("open", "masked"))
    assert open_["series"] == masked["series"]
    assert masked["uplink_bits"] > open_["uplink_bits"]
    noisy = run(inputs, aggregation="masked", mechanism="counts", sigma=2.0).repetitions[0]
    off = np.subtract(noisy["series"]["scores"], open_["series"]["scores"])
    assert 0 < np.abs(off).max() < 10  # one noise on the sum and not one of each of 30 clients


def test_all_rows_of_all_clients_in_one_cluster_are_counted_in_their_ring(inputs):
    """The bound is attained: 240 rows, of which eight bits and the sign hold no more than 255."""
    repetition = run(inputs, aggregation="masked", centroids=1).repetitions[0]
    assert repetition["largest_sum"] == 240
    assert repetition["series"]["scores"] == [240.0]
    assert repetition["ring_bits"] == 1 + 8 + FRACTION_BITS


EPSILON = [(25, 0.0995, 0.2094), (10, 0.2762, 0.5667)]


@pytest.mark.parametrize(("sigma", "added", "replaced"), EPSILON)
def test_epsilon_is_that_of_a_sampled_gaussian(sigma, added, replaced):
    records = counts_guarantee(float(sigma), 0.8, 1e-5)
    assert [record.adjacency for record in records] == ["add-remove", "replace-one"]
    assert records[0].epsilon == pytest.approx(added, abs=0.002)
    assert records[1].epsilon == pytest.approx(replaced, abs=0.002)
    assert counts_sigma(records[0].epsilon, 0.8, 1e-5) == pytest.approx(sigma, rel=0.02)


@pytest.mark.parametrize(
    "axes",
    [
        {"mechanism": "counts", "sigma": 10.0, "uploaders": 2},
        {"mechanism": "counts", "sigma": 10.0},
        {"purchase_rule": "random", "uploaders": 2},
        {"purchase_rule": "random"},
        {},
    ],
)
def test_uploads_and_counts_without_noise_have_no_guarantee(inputs, axes):
    privacy = run(inputs, **axes).repetitions[0]["privacy"]
    assert any(record["note"] == "No noise, no guarantee." for record in privacy) == (
        "uploaders" in axes or not axes
    )


def test_uploads_alone_are_fbftl_with_the_same_head(inputs):
    mine = run(inputs, purchase=0, uploaders=30)
    theirs = one_shot(inputs, {"head": "logistic"}, validation=0.0)
    for mine_of_seed, theirs_of_seed in zip(mine.repetitions, theirs.repetitions, strict=True):
        assert mine_of_seed["test_accuracy"] == theirs_of_seed["test_accuracy"]
        assert mine_of_seed["uplink_bits"] == theirs_of_seed["uplink_bits"]
        assert mine_of_seed["downlink_bits"] == theirs_of_seed["downlink_bits"]
        assert (mine_of_seed["seen"], mine_of_seed["own_share"]) == (COUNTS["train"], None)


def test_a_client_that_gives_labels_pays_for_every_query(inputs):
    axes = {"label_source": "client", "clients": 1, "purchase_rule": "ideal"}
    clear = run(inputs, **axes).repetitions[0]
    assert clear["labelled"] == clear["seen"] == 15
    assert clear["label_accuracy"] > 0.9
    assert clear["bought"] == BOUGHT
    noisy = {"vote_noise": 25.0, "confidence_noise": 75.0}
    counted = {"mechanism": "counts", "sigma": 10.0, "count_sampling": 0.8, "purchase_rule": "ecos"}
    outcome = run(inputs, queries=noisy, **(axes | counted))
    rows = outcome.ledger.table().to_pandas().query("seed == 0").set_index("part")
    assert rows.loc["labels", "payload_bits"] == 32 * BOUGHT
    assert rows.loc["features", "payload_bits"] == 32 * BOUGHT * WIDTH
    together = outcome.repetitions[0]["privacy"][0]["epsilon"]
    multiplier = 1 / (2 / 25**2 + 1 / 75**2) ** 0.5
    queries = rounds_epsilon(multiplier, 1e-6, rate=0.8, rounds=BOUGHT)
    assert queries < together < queries + counts_guarantee(10.0, 0.8, 1e-6)[0].epsilon


def test_what_cannot_be_bought_is_refused(inputs):
    with pytest.raises(UserError, match="purchase is 301, but the public sources of toy have 300"):
        run(inputs, purchase=301)
    strange = ["rotated", "inverted"]
    with pytest.raises(UserError, match="own domains, and the public sources of toy have none"):
        run(inputs, sold=strange, purchase_rule="ideal")
    without = run(inputs, sold=strange).repetitions[0]
    assert (without["inherent_share"], without["own_share"], without["bought"]) == (0, 0, BOUGHT)
