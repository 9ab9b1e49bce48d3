"""Compression and loss in whole runs: real messages, their ledger entries, Eq. (18) and (19)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange import repetition as by_rounds
from fbftl.ground.errors import UserError
from fbftl.ground.room import Room
from fbftl.messages import payload
from fbftl.messages.channel import expected_payload, packet_loss_rate
from fbftl.messages.codec import decode, kept_count
from fbftl.training.tasks.task import Inputs, Outcome
from unit.methods.method_toys import CLASSES, WIDTH, run, toy_inputs


def uploads(outcome: Outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up'")


# --- the codec on real runs -------------------------------------------------------------------


@pytest.mark.parametrize("axes", [{"bits": 2}, {"bits": 3, "keep": 0.5}])
def test_uploads_are_as_long_as_the_ledger_says(
    blobs: Inputs, axes: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, make = [], payload.encode_rows
    monkeypatch.setattr(
        payload, "encode_rows", lambda *a, **k: sent.append(make(*a, **k)) or sent[-1]
    )
    outcome = run(blobs, axes)
    rows = uploads(outcome)
    assert len(sent) == 1  # all seeds share their messages
    messages = sent[0].messages * 2
    assert rows["bits"].tolist() == [8 * len(message) for message in messages]
    for message, values in zip(messages, np.tile(sent[0].values, (2, 1)), strict=True):
        read = decode(message)
        assert (read.values[0] == values).all()
        assert read.kept == kept_count(WIDTH, axes.get("keep", 1.0))
        assert read.labels[0] in range(CLASSES)


@pytest.mark.parametrize("method", ["fbftl", "ftl_c"])
def test_sampled_messages_agree_with_the_ledger(blobs: Inputs, method: str) -> None:
    outcome = run(blobs, {"method": method, "bits": 4, "keep": 0.5})
    lengths = uploads(outcome).groupby("seed")["bits"]
    for repetition in outcome.repetitions:
        seed = repetition["seed"]
        assert lengths.min()[seed] <= repetition["packed_bits"] <= lengths.max()[seed]
        assert repetition["limit_bits"] <= repetition["entropy_coded_bits"]
        assert repetition["entropy_coded_bits"] <= repetition["packed_bits"]
        assert 0 < repetition["distortion"] < 1


def test_what_was_not_compressed_is_not_distorted(blobs: Inputs) -> None:
    assert run(blobs, {}).repetitions[0]["distortion"] == 0
    assert "distortion" not in run(blobs, {"method": "ftl_c"}).repetitions[0]


def test_an_update_that_is_not_finite_is_a_divergence(blobs: Inputs) -> None:
    outcome = run(blobs, {"method": "ftl_c", "bits": 8}, learning_rate=1e30)
    for repetition in outcome.repetitions:
        assert repetition["diverged"]
        assert repetition["series"]["test_accuracy"][-1] == 0
    assert uploads(outcome)["round"].max() < 4 * 7


# --- losses -----------------------------------------------------------------------------------


def within(share: float, expected: float, draws: int) -> bool:
    """Return whether a share lies within five binomial deviations."""
    return abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / draws)


@pytest.mark.parametrize("retransmissions", [0, 2])
@pytest.mark.parametrize("method", ["fbftl", "ftl_c"])
def test_losses_and_attempts_follow_eq_18_and_19(
    blobs: Inputs, method: str, retransmissions: int
) -> None:
    blr = 0.2
    setting = {"method": method, "blr": blr, "retransmissions": retransmissions}
    rows = uploads(run(blobs, setting, epochs=12 if method == "ftl_c" else 1))
    (blocks,) = rows["packets"].unique()
    assert blocks == 1 if method == "fbftl" else blocks > 5
    expected = packet_loss_rate(blr, blocks, retransmissions)
    assert within(rows["lost"].mean(), expected, len(rows))
    if retransmissions == 0:
        assert (rows["attempts"] == rows["packets"]).all()
    else:
        sent_again = expected_payload(1, blr, retransmissions) - 1
        total = rows["packets"].sum()
        # A block's attempts vary by less than those of a geometric number.
        deviation = np.sqrt(blr / total) / (1 - blr)
        assert abs(rows["attempts"].sum() / total - 1 - sent_again) <= 5 * deviation
        assert sent_again > 0


# --- memories of error feedback ---------------------------------------------------------------


def test_memories_that_do_not_fit_are_refused(
    blobs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_rounds, "LARGEST_MEMORY", 1000)
    with pytest.raises(UserError, match=r"30 clients with 131 parameters .* scratch_folder .*"):
        run(blobs, {"method": "ftl_c", "bits": 8})
    run(blobs, {"method": "ftl_c", "bits": 8, "feedback": False})


def test_memories_in_a_scratch_folder_give_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, scratch = tmp_path / "store", tmp_path / "scratch"
    store.mkdir()
    scratch.mkdir()
    setting = {"method": "ftl_c", "bits": 2, "keep": 0.2}
    inputs = toy_inputs(store, Room(folder=scratch))
    in_memory = run(inputs, setting)
    monkeypatch.setattr(by_rounds, "LARGEST_MEMORY", 1000)
    mapped = run(inputs, setting)
    assert mapped.repetitions == in_memory.repetitions
    assert mapped.ledger.table().equals(in_memory.ledger.table())
    assert list(scratch.iterdir()) == []
