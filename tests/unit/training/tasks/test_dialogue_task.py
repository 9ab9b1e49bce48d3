"""Dialogues under every method: what is sent, noised, lost and learnt, and that it adds up."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fbftl.data.clients import ClientFile
from fbftl.exchange.sending import Sending, sending
from fbftl.features.dialogues import TokenizedClients
from fbftl.features.store.reader import Features, open_store
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, decode, encode
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.dialogues import id_bits
from fbftl.messages.ledger import BROADCAST
from fbftl.models.t5.checkpoint import SourceT5, load_source
from fbftl.models.t5.head import ALL, trained_parameters
from fbftl.training import summariser
from fbftl.training.tasks import dialogues
from fbftl.training.tasks.dialogues import client_features, rouge
from fbftl.training.tasks.task import Outcome
from unit.training.tasks.toy_dialogues import (
    BLOCKS,
    CLIP,
    PER_CLIENT,
    TEST,
    TRAIN,
    VOCABULARY,
    WIDTH,
    inputs_at,
    job,
    run,
)

METHODS = ["fbftl", "ftl_c", "ftl_f"]
CLIENTS = TRAIN // PER_CLIENT


@pytest.fixture
def folder(dialogues: Path) -> Path:
    return dialogues


@cache
def plain(folder: Path, method: str = "fbftl", cut: int = 1) -> Outcome:
    """Return what a method finds with nothing else asked; it repeats exactly, so it runs once."""
    return run(folder, {"method": method}, cut)


def uploads(outcome: Outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up'")


def first(outcome: Outcome) -> dict:
    return outcome.repetitions[0]


def stored(folder: Path, cut: int = 1) -> Features:
    return open_store(folder / f"{cut}.json").read("train")


def source(folder: Path) -> SourceT5:
    described = json.loads((folder / "source.json").read_text())
    return load_source(folder / "source.safetensors", described)


# --- learning ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_repeats_exactly(folder, method):
    once, again = plain(folder, method), run(folder, {"method": method})
    assert once.repetitions == again.repetitions
    assert once.ledger.table().equals(again.ledger.table())
    losses = first(once)["series"]["loss"]
    assert losses[-1] < losses[0]
    assert json.dumps(once.repetitions, allow_nan=False)


def test_what_is_said_stands_beside_its_reference(folder):
    outcome = plain(folder)
    assert len(outcome.transcript) == TEST
    texts = [entry["predictions"]["0"] for entry in outcome.transcript]
    with ClientFile(folder / "clients.h5") as file:
        references = file.column("test", "summary")
    assert [entry["summary"] for entry in outcome.transcript] == references
    assert first(outcome)["rouge1"] == rouge(texts, references)["rouge1"]


def test_selection_by_the_test_set_takes_its_best_epoch(folder, monkeypatch):
    scores = iter([10.0, 30.0, 20.0, 30.0])
    for module in (dialogues, summariser):
        monkeypatch.setattr(module, "rouge", lambda *_: {"rouge1": next(scores)})
    assert first(run(folder, {}, epochs=3, selection="test"))["epoch"] == 2
    assert next(scores, None) is None


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}, {"method": "ftl_c", "bits": 8}])
def test_divergence_is_recorded_with_rouge_zero(folder, setting):
    repetition = first(run(folder, setting, learning_rate=1e30))
    assert repetition["diverged"]
    assert repetition["rouge1"] == repetition["epoch"] == 0
    assert json.dumps(repetition, allow_nan=False)


def test_a_prefix_is_put_before_every_dialogue(folder):
    with ClientFile(folder / "clients.h5") as file:
        tokenizer = source(folder).tokenizer
        batch = next(TokenizedClients(file, tokenizer, 200, "sum up: ").batches("test", 5))
        (text,) = tokenizer.decode(batch.arrays["tokens"][:1])
        assert text == "sum up: " + file.column("test", "dialogue")[0]


# --- what is sent -----------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [2, 1])
def test_uploads_cost_their_tokens_once(folder, cut):
    outcome, features = plain(folder, cut=cut), stored(folder, cut)
    down = outcome.ledger.table().to_pandas().query("direction == 'down'")
    assert down["client"].tolist() == [BROADCAST]
    shape = source(folder).model.shape
    frozen = trained_parameters(shape, ALL) - trained_parameters(shape, cut)
    assert down["payload_bits"].item() == 32 * frozen
    up, counts = uploads(outcome), first(outcome)
    lengths, labels = np.diff(features.offsets), np.diff(features.label_offsets)
    ids = id_bits(VOCABULARY)
    sent = 9 + -(-labels * ids // 8) + HEADER_BYTES + 4 * WIDTH * lengths
    np.testing.assert_array_equal(up["bits"], 8 * sent)
    # The paper counts one vector for a dialogue, the ledger has its true length beside.
    assert (up["payload_bits"] == 32 * WIDTH).all()
    assert counts["uplink_bits"] == 8 * sent.sum()
    assert counts["uplink_payload_bits"] == TRAIN * 32 * WIDTH
    assert counts["numbers_per_batch"] == PER_CLIENT * WIDTH
    assert counts["upload_batches"] == counts["clients"] == CLIENTS
    if cut == BLOCKS:
        assert up["token_id_bits"].sum() == counts["token_id_bits"] == ids * lengths.sum()
    else:
        assert up["token_id_bits"].isna().all()
        assert counts["token_id_bits"] is None


@pytest.mark.parametrize("method", ["ftl_c", "ftl_f"])
def test_a_round_is_a_broadcast_and_an_update_of_each_of_its_clients(folder, method):
    outcome = plain(folder, method)
    numbers = trained_parameters(source(folder).model.shape, 1 if method == "ftl_c" else ALL)
    rows = outcome.ledger.table().to_pandas().query("round > 0")
    assert (rows["payload_bits"] == 32 * numbers).all()
    assert (rows["bits"] == 32 * numbers + 8 * HEADER_BYTES).all()
    up, counts = uploads(outcome), first(outcome)
    assert len(up) == 2 * CLIENTS  # every client in each of two epochs
    assert up.groupby("round")["client"].nunique().eq(2).all()
    assert len(rows) - len(up) == CLIENTS  # two clients a round
    assert counts["upload_batches"] == CLIENTS * counts["epoch"]
    assert counts["uplink_bits"] == counts["upload_batches"] * up["bits"].iloc[0]
    assert counts["downlink_bits"] == CLIENTS // 2 * counts["epoch"] * up["bits"].iloc[0]
    assert counts["numbers_per_batch"] == numbers


def test_q_2_is_training_on_what_a_hand_decodes(folder):
    """The server trains on the decoded hidden states and nothing else."""
    compression = Compression(2, 0.5)
    client_data = client_features(job({}), inputs_at(folder))
    payload, by_hand = client_data.payload, np.empty_like(client_data.payload.values)
    for a, b in zip(payload.offsets, payload.offsets[1:], strict=False):
        by_hand[a:b] = decode(encode(payload.values[a:b], compression=compression)).values
    uploaded = payload.uploaded(compression)
    np.testing.assert_array_equal(uploaded.read.values, by_hand)
    assert len(np.unique(by_hand[0])) <= 5  # four levels and the zeros of what was left out
    outcome = run(folder, {"bits": 2, "keep": 0.5})
    np.testing.assert_array_equal(uploads(outcome)["bits"], uploaded.sent.bits)
    assert (uploads(outcome)["payload_bits"] == 2 * 0.5 * WIDTH).all()
    whole, compressed = first(plain(folder)), first(outcome)
    assert compressed["series"]["loss"] != whole["series"]["loss"]
    assert 0 < compressed["distortion"] < 1
    assert whole["distortion"] == 0
    assert compressed["limit_bits"] <= compressed["entropy_coded_bits"] <= compressed["packed_bits"]
    assert compressed["uplink_bits"] < whole["uplink_bits"] / 4


# --- noise ------------------------------------------------------------------------------------


def noising(folder: Path, axes: dict) -> tuple[Sending, Any]:
    """Return how clients send under a mechanism, and what they have to send."""
    job_ = job(axes)
    payload = client_features(job_, inputs_at(folder)).payload
    return sending(job_, payload, None), payload


def test_a_clip_is_of_the_whole_dialogue(folder):
    how, clear = noising(folder, {"mechanism": "gaussian", "sigma": 1e-9})
    noised = how.noised(0, draw=0)
    for row in range(TRAIN):
        norm, before = (np.linalg.norm(uploads_.states(row)) for uploads_ in (noised, clear))
        assert before > CLIP
        assert norm == pytest.approx(CLIP, rel=1e-4)
        # One factor for all of its tokens: their directions and ratios stay.
        np.testing.assert_allclose(
            noised.states(row) * before / norm, clear.states(row), rtol=1e-3, atol=1e-6
        )
    assert how.records[0].unit == "sample"


def test_a_dialogues_noise_is_its_own_and_is_scaled_by_its_length(folder):
    how, clear = noising(folder, {"mechanism": "gaussian", "sigma": 2.0})
    once, again = how.noised(0, draw=0), how.noised(0, draw=0)
    np.testing.assert_array_equal(once.values, again.values)
    added = np.concatenate([once.states(row).ravel() for row in range(TRAIN)])
    assert added.std() == pytest.approx(2 * CLIP, rel=0.05)
    lengths = how.scale(clear.numbers) * np.array(
        [np.linalg.norm(once.states(row)) for row in range(TRAIN)]
    )
    np.testing.assert_allclose(lengths, CLIP, rtol=0.15)


def test_relative_noise_follows_the_spread_of_a_whole_dialogue(folder):
    how, payload = noising(folder, {"mechanism": "relative", "sigma": 0.1})
    noised = how.noised(0, draw=0)
    for row in range(TRAIN):
        clear = payload.states(row)
        noise = noised.states(row) - clear
        assert noise.std() == pytest.approx(0.1 * how.relative_range * clear.std(), rel=0.25)


# --- losses -----------------------------------------------------------------------------------


def test_fewer_clients_and_lost_dialogues_are_counted(folder):
    outcome = run(folder, {"fraction": 0.5, "plr": 0.4})
    up, counts = uploads(outcome), first(outcome)
    assert counts["upload_batches"] == up["client"].nunique() == CLIENTS // 2
    assert counts["offered"] == len(up) == TRAIN // 2
    assert counts["seen"] == counts["received"] == (~up["lost"].astype(bool)).sum() < TRAIN // 2


def test_when_nothing_arrives_it_says_so(folder):
    with pytest.raises(UserError, match="no dialogue reached the server"):
        run(folder, {"plr": 1.0})
