"""Sums by a committee through the post: as a dealer's to the byte, paid for, in shares of noise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange.committee import CommitteeMasks
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum, secure_sum
from fbftl.exchange.sum_noise import GaussianOnSums
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring, ring_for
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.privacy.masking import WORD
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.replicated import Committee
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.settings import Setting

CLIENTS, WIDTH = np.arange(12) + 40, 5
VALUES = np.random.default_rng(0).normal(size=(len(CLIENTS), WIDTH))


def job_of(axes: dict) -> Job:
    training = {"epochs": 1, "batch": 1, "clients_per_round": 2, "learning_rate": 0.1}
    training |= {"momentum": 0.0, "weight_decay": 0.0, "validation": 0.0, "selection": "last"}
    params = {"task": "toy", "kind": "images", "setting": axes, "seeds": [0], "clients": {}}
    return from_params(
        params | {"training": training, "privacy": {}, "block": {}}, axes_by_method()
    )


def post(plr: float = 0.0, seed: int = 3) -> Post:
    return Post(Ledger(method="toy"), link_of(Setting(plr=plr), 512), seed, no_mechanism())


def committee(members: int = 5, threshold: int = 3, **fields) -> CommitteeMasks:
    return CommitteeMasks(Committee(members, threshold), b"s" * 32, **fields)


def summing(plr: float = 0.0, ring: Ring = WORD, **fields) -> SecureSum:
    return SecureSum(post(plr), ring, committee(**fields))


def rows(sums: SecureSum) -> pd.DataFrame:
    return sums.post.ledger.table().to_pandas()


@pytest.mark.parametrize("plr", [0.0, 0.4])
@pytest.mark.parametrize("present", [None, (0, 2, 4)])
def test_a_committee_tells_the_sum_of_a_dealer_to_the_byte(plr, present):
    ring = ring_for(np.abs(VALUES).max(axis=1).sum(), len(CLIENTS))
    by_dealer = SecureSum(post(plr), ring).of(VALUES, CLIENTS, 1)
    by_members = summing(plr, ring, present=present).of(VALUES, CLIENTS, 1)
    assert by_members.receipt.arrives.tolist() == by_dealer.receipt.arrives.tolist()
    assert by_members.total.tobytes() == by_dealer.total.tobytes()


@pytest.mark.parametrize("masked_count", [0, 1, 4])
def test_a_sample_of_made_messages_leaves_the_same_sum_and_ledger_but_digests(masked_count):
    whole, sample = summing(plr=0.3), summing(plr=0.3)
    every = whole.of(VALUES, CLIENTS, 1)
    few = sample.of(VALUES, CLIENTS, 1, masked_count=masked_count)
    assert np.array_equal(every.total, few.total)
    both = [rows(sums).drop(columns=["sha256", "encoded"]) for sums in (whole, sample)]
    pd.testing.assert_frame_equal(*both)


def test_every_message_has_its_row():
    sums = summing(plr=0.3)
    arrived = int(sums.of(VALUES, CLIENTS, 7, part="statistics").receipt.arrives.sum())
    assert 1 < arrived < len(CLIENTS)
    table, head = rows(sums), 8 * HEADER_BYTES
    assert (table.query("part != 'key'")["round"] == 7).all()
    exchanged = (
        table.groupby(["sender", "receiver", "part"], observed=True)
        .agg(count=("bits", "size"), bits=("bits", "first"))
        .reset_index()
    )
    boxes = 8 * 1072
    assert sorted(exchanged.to_numpy().tolist()) == sorted(
        [
            ["member", "client", "key", 12, 5 * 256 + head],
            ["client", "server", "statistics", 12, 64 * WIDTH + head],
            ["client", "server", "boxes", 12, boxes],
            ["server", "member", "boxes", 5, 8 * arrived * (32 + 6 * 32 + 16) + head],
            ["server", "member", "arrivals", 5, 32 * arrived],
            ["member", "member", "arrivals", 20, 256 + head],
            ["member", "server", "answer", 10, 64 * WIDTH + head],
        ]
    )


def test_a_message_is_at_most_2_kb_longer_than_its_masked_vector():
    sums = summing()
    sums.of(np.zeros((2, 10_000)), CLIENTS[:2], 1)
    up = rows(sums).query("direction == 'up'")
    sent = up.groupby("client")["bits"].sum() / 8
    assert (sent - WORD.message_bytes(10_000) < 2000).all()
    assert (sent - WORD.message_bytes(10_000) > 1000).all()


def test_keys_go_to_a_client_once_and_sums_have_seeds_of_their_own():
    sums = summing()
    sums.of(np.ones((2, WIDTH)), CLIENTS[:2], 1)
    sums.of(np.ones((2, WIDTH)), CLIENTS[:2], 2)
    table = rows(sums)
    assert len(table.query("part == 'key'")) == 2
    assert table.query("part == 'update'")["sha256"].nunique() == 4
    masks = sums.unmasker
    drawn = [masks._seeds(client, sum_number).seeds for client in (40, 41) for sum_number in (1, 2)]
    assert len({seed for seeds in drawn for seed in seeds}) == 4 * 10


@pytest.mark.parametrize(
    ("fields", "clients", "why"),
    [
        ({}, 1, "1 message arrived, and no sum is told of fewer than 2"),
        ({"present": (1, 3)}, 12, "2 members are there, and a sum takes 3 of 5"),
        ({"present": ()}, 12, "0 members are there"),
    ],
)
def test_a_sum_that_is_not_told_says_why(fields, clients, why):
    sums = summing(**fields)
    summed = sums.of(VALUES[:clients], CLIENTS[:clients], 4)
    assert summed.total is None
    assert why in summed.withheld
    assert [why in reason for reason in sums.record["committee"]["withheld"]] == [True]
    assert not (rows(sums)["part"] == "answer").any()


def test_where_nobody_is_asked_nothing_is_sent_nor_withheld():
    sums = summing()
    assert "0 messages arrived" in sums.of(VALUES[:0], CLIENTS[:0], 4).withheld
    assert sums.record["committee"]["withheld"] == []
    assert not len(rows(sums))


def test_fewer_than_what_was_agreed_are_not_summed():
    lossy, total = summing(plr=0.4, least_arrivals=0.9), summing(least_arrivals=1.0)
    assert "no sum is told of fewer than 11" in lossy.of(VALUES, CLIENTS, 1).withheld
    assert total.of(VALUES, CLIENTS, 1).total is not None
    assert total.record["committee"] == {"members": 5, "threshold": 3, "withheld": []}


def test_clients_add_shares_that_make_the_noise_of_a_sum():
    """Over all that were asked; of those that are lost the shares are lost too."""
    count, std = 4000, 3.0
    noise = GaussianOnSums(std, lambda places: int(places.sum()))
    values = np.zeros((len(CLIENTS), count))
    for plr, share in ((0.0, 1.0), (0.4, None)):
        sums = SecureSum(post(plr), Ring(50, 30), committee())
        summed = sums.of(values, CLIENTS, 1, noise=noise)
        share = share or summed.receipt.arrives.mean()
        assert summed.total.std() == pytest.approx(std * np.sqrt(share), rel=0.05)
        steps = summed.total * 2.0**30
        assert np.array_equal(steps, np.rint(steps))
    again = SecureSum(post(0.4), Ring(50, 30), committee(3, 2))
    assert np.array_equal(again.of(values, CLIENTS, 1, noise=noise).total, summed.total)


def test_shares_of_too_few_steps_are_refused_before_anything_is_sent():
    sums = SecureSum(post(), Ring(20, 0), committee())
    with pytest.raises(UserError, match="give more fraction_bits, or more noise"):
        sums.of(VALUES, CLIENTS, 1, noise=GaussianOnSums(2.0, lambda _: 0))
    assert not (rows(sums)["direction"] == "up").any()


def test_runs_and_seeds_have_committees_of_their_own():
    """Settings of one seed too, whose dealer would be the same."""
    axes = {"method": "ccvr", "aggregation": "committee"}
    first, other = job_of(axes), job_of(axes | {"server_epochs": 3})
    runs = [(first, 0), (first, 1), (other, 0), (replace(first, task="another"), 0)]
    sums = [secure_sum(job, post(seed=seed), WORD).unmasker for job, seed in runs]
    assert len({masks.secret for masks in sums}) == len(runs)
    assert len({key for masks in sums for key in masks.public.keys}) == 5 * len(runs)
    again = secure_sum(job_of(axes), post(seed=0), WORD).unmasker
    assert again.secret == sums[0].secret
