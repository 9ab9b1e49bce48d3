"""Messages of the language task: what is sent can be read again, and the ledger counts it."""

import dataclasses

import numpy as np
import pytest
from fbftl.exchange.dialogues import Rounds, Uploads
from fbftl.features.dialogues import forward_fn
from fbftl.features.store.features import Features
from fbftl.features.store.ragged import Ragged
from fbftl.messages.codec import CorruptMessage
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.dialogues import decode_upload, encode_upload, id_bits
from fbftl.messages.ledger import BROADCAST, Ledger
from fbftl.models.t5.head import ALL, trained_parameters
from fbftl.study.settings import Setting
from fbftl.tasks.dialogue_job import Job
from fbftl.tasks.dialogues import SeedRun
from fbftl.training.t5 import Epoch, Plan, Samples, train_head
from hypothesis import given
from hypothesis import strategies as st
from unit.models.t5_toys import SHAPE, model, rows, samples

CLIENTS = np.repeat(np.arange(6), 2).astype(np.int32)
PLAN = Plan(learning_rate=1e-2, batch=4, epochs=3, validation=0.0)
CORES = dict(task="toy", seeds=(0,), plan=PLAN, selection="validation", summary_tokens=5)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(2, 40_000), st.integers(0, 999))
def test_an_upload_survives_the_way(tokens, labels, vocabulary, seed):
    random = np.random.default_rng(seed)
    features = random.normal(size=(tokens, 7)).astype(np.float32)
    ids = random.integers(0, vocabulary, labels)
    message = encode_upload(features, ids, vocabulary)
    values, read = decode_upload(message)
    np.testing.assert_array_equal(values, features)
    np.testing.assert_array_equal(read, ids)
    packed = -(-labels * id_bits(vocabulary) // 8)
    assert len(message) == 9 + packed + HEADER_BYTES + 4 * features.size


@given(st.data())
def test_a_changed_upload_is_refused(data):
    message = encode_upload(np.ones((2, 3), np.float32), np.array([1, 300]), 320)
    place = data.draw(st.integers(0, len(message) - 1))
    changed = bytearray(message)
    changed[place] ^= data.draw(st.integers(1, 255))
    for bad in (bytes(changed), message[:place]):
        with pytest.raises(CorruptMessage):
            decode_upload(bad)


def job(method: str, cut: int | str, **axes) -> Job:
    return Job(setting=Setting(method=method, **axes), cut=cut, **CORES)


def stored(cut: int) -> Features:
    tokens = rows(12, 7)
    columns = {
        "values": forward_fn(model(), [cut])({"tokens": tokens})[str(cut)],
        "labels": rows(12, 1, longest=7),
        "tokens": tokens,
    }
    ragged = {name: Ragged.from_rows(column) for name, column in columns.items()}
    return Features._from_columns({"client": CLIENTS, "sample": np.arange(12), **ragged})


def trained(cut: int | str, data: Samples, received: np.ndarray, **plan) -> SeedRun:
    head = train_head(model(), cut, data, received, dataclasses.replace(PLAN, **plan), 0)
    return SeedRun(0, head.curve, head.chosen, head.diverged, {}, [])


DONE = SeedRun(0, [Epoch(1, 3, 1.0, None)], Epoch(1, 3, 1.0, None), False, {}, [])


@pytest.mark.parametrize("cut", [3, 1])
def test_uploads_cost_their_tokens_once(cut):
    ledger, features = Ledger(method="fbftl"), stored(cut)
    counts = Uploads(job("fbftl", cut), features, SHAPE).enter(ledger, DONE)
    table = ledger.table().to_pandas()
    down, up = table[table.direction == "down"], table[table.direction == "up"]
    assert down["client"].tolist() == [BROADCAST]
    frozen = trained_parameters(SHAPE, ALL) - trained_parameters(SHAPE, cut)
    assert down["payload_bits"].item() == 32 * frozen
    lengths, labels = np.diff(features.offsets), np.diff(features.label_offsets)
    sent = 9 + -(-labels * id_bits(40) // 8) + HEADER_BYTES + 4 * 16 * lengths
    np.testing.assert_array_equal(up["bits"], 8 * sent)
    assert counts["uplink_bits"] == 8 * sent.sum()
    assert counts["uplink_payload_bits"] == 12 * 32 * 16
    assert counts["numbers_per_batch"] == 2 * 16
    assert counts["upload_batches"] == 6
    if cut == 3:
        assert up["token_id_bits"].sum() == counts["token_id_bits"] == 6 * lengths.sum()
    else:
        assert up["token_id_bits"].isna().all()
        assert counts["token_id_bits"] is None


def test_fewer_clients_and_lost_dialogues_are_counted():
    exchange = Uploads(job("fbftl", 1, fraction=0.5, plr=0.4), stored(1), SHAPE)
    ledger = Ledger(method="fbftl")
    counts = exchange.enter(ledger, DONE)
    up = ledger.table().to_pandas().query("direction == 'up'")
    assert counts["upload_batches"] == up["client"].nunique() == 3
    assert counts["offered"] == len(up) == 6
    assert counts["received"] == len(exchange.received(0)) == (~up["lost"].astype(bool)).sum()
    assert up[~up["lost"].astype(bool)]["sample"].tolist() == exchange.received(0).tolist()


def test_a_round_is_a_broadcast_and_an_update_of_each_of_its_clients():
    data = samples(rows(12, 7), CLIENTS)
    exchange = Rounds(job("ftl_f", ALL), data, SHAPE)
    run = trained(ALL, data, exchange.received(0))
    ledger = Ledger(method="ftl_f")
    counts = exchange.enter(ledger, run)
    table = ledger.table().to_pandas()
    numbers = trained_parameters(SHAPE, ALL)
    assert (table["payload_bits"] == 32 * numbers).all()
    assert (table["bits"] == 32 * numbers + 8 * HEADER_BYTES).all()
    up = table[table.direction == "up"]
    assert len(up) == 6 * 3  # every client in each of three epochs
    assert up.groupby("round")["client"].nunique().eq(2).all()
    assert len(table) - len(up) == 9
    assert counts["upload_batches"] == 6 * run.chosen.epoch
    assert counts["uplink_bits"] == counts["upload_batches"] * up["bits"].iloc[0]
    assert counts["downlink_bits"] == 3 * run.chosen.epoch * up["bits"].iloc[0]


def test_costs_end_with_the_chosen_epoch():
    data = samples(rows(12, 7), CLIENTS)
    exchange = Rounds(job("ftl_f", ALL), data, SHAPE)
    run = trained(ALL, data, exchange.received(0))
    early = dataclasses.replace(run, chosen=run.curve[0])
    assert exchange.enter(Ledger(), early)["upload_batches"] == 6
    never = SeedRun(0, [], None, True, {}, [])
    ledger = Ledger()
    assert exchange.enter(ledger, never)["uplink_bits"] == 0
    assert len(ledger.table()) == 3 + 6  # the epoch in which it diverged was sent
