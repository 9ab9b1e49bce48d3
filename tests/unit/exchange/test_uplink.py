"""The uplink of the gradient methods: averages, error feedback, noise, and its record."""

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange.post import Post
from fbftl.exchange.uplink import (
    Releasing,
    Traffic,
    Uplink,
    compress_with_feedback,
    compressing,
    memory,
    relatively_noisy,
)
from fbftl.messages.channel import Link, link_of
from fbftl.messages.codec import Compression, NotFiniteError, compress
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.ledger import Ledger
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.bounds import memory_bytes
from fbftl.study.settings import Setting
from fbftl.training.batches import Round
from hypothesis import given, settings
from hypothesis import strategies as st

WIDTH, CLIENTS = 40, 6
EVERYONE = np.arange(CLIENTS)
COUNTS = np.array([3, 4, 2])
TAKING_PART = np.array([4, 0, 2])


def updates() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, WIDTH)).astype(np.float32)


def a_round(
    round_number: int = 1, clients: np.ndarray = TAKING_PART, counts: np.ndarray = COUNTS
) -> Round:  # fmt: skip
    present = np.arange(max(counts, default=0)) < counts[:, None]
    return Round(round_number - 1, clients, np.zeros(present.shape, dtype=int), present)


def uplink(
    releasing: Releasing | None,
    setting: Setting | None = None,
    owners: np.ndarray = EVERYONE,
    **changes,
) -> Uplink:
    setting = setting or Setting()
    compression = Compression(setting.bits, setting.keep)
    link = link_of(setting, 8 * 64)
    return Uplink(
        post=Post(Ledger(method="ftl_c"), link, 0, no_mechanism(), compression),
        exchanged=Traffic(lambda counts: {"update": WIDTH}, {"weights": WIDTH}),
        owners=owners,
        releasing=releasing,
        **changes,
    )


def rows_of(sent: Uplink, direction: str) -> pd.DataFrame:
    return sent.post.ledger.table().to_pandas().query("direction == @direction")


def test_error_feedback_sends_later_what_was_left_out():
    """Eq. (20)-(21): what is sent plus what is remembered is what there was to send."""
    compression, memory = Compression(2, 0.1), np.zeros((CLIENTS, WIDTH), dtype=np.float32)
    sent = uplink(compressing(compression, memory), Setting(bits=2, keep=0.1))
    first = sent.averaged(a_round(), updates())[0] * COUNTS.sum()
    assert first + memory.sum(axis=0) == pytest.approx(updates().sum(axis=0), abs=1e-5)
    assert (memory[[1, 3, 5]] == 0).all()
    again = compress(updates() + memory[TAKING_PART], compression).values.sum(axis=0)
    second = sent.averaged(a_round(), updates())[0] * COUNTS.sum()
    assert second == pytest.approx(again, abs=1e-5)


def test_lost_updates_leave_sum_and_count():
    class LosesFirst(Link):
        def send(self, bits: np.ndarray, rng: np.random.Generator):
            delivery = super().send(bits, rng)
            delivery.arrives[0] = False
            return delivery

    sent = uplink(compressing(Compression(), None))
    link = sent.post.link
    sent.post.link = LosesFirst(link.channel, 0, link.block_bits)
    mean = sent.averaged(a_round(), updates())[0]
    assert mean == pytest.approx(updates()[1:].sum(axis=0) / COUNTS[1:].sum(), abs=1e-6)


def test_relative_noise_beside_a_constant_update_is_refused():
    values = updates()
    values[1] = 0
    with pytest.raises(NotFiniteError, match="constant"):
        uplink(relatively_noisy(0.1, Compression(), seed=0)).averaged(a_round(), values)[0]


def test_every_message_is_in_the_ledger_with_its_length_and_digest():
    compression = Compression(8, 0.5)
    setting = Setting(bits=8, keep=0.5, plr=0.5)
    sent = uplink(compressing(compression, None), setting, EVERYONE + 100)
    for round_number in (1, 2, 3, 4):
        sent.averaged(a_round(round_number), updates())
    up, down = rows_of(sent, "up"), rows_of(sent, "down")
    assert up["round"].tolist() == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert up["client"].tolist() == [104, 100, 102] * 4
    assert up["bits"].tolist() == compress(updates(), compression).bits.tolist() * 4
    assert (up["payload_bits"] == 8 * WIDTH // 2).all()
    assert (up["encoded"] == "made").all()
    assert up["sha256"].nunique() == 3
    totals = sent.totals(3)
    assert (totals["messages"], totals["messages_lost"]) == (12, up["lost"].sum())
    until = up[up["round"] <= 3]
    assert totals["upload_batches"] == len(until) == 9
    assert totals["uplink_payload_bits"] == until["payload_bits"].sum()
    assert totals["uplink_bits"] == until["bits"].sum()
    assert totals["downlink_bits"] == down["bits"].sum() * 3 // 4
    assert totals["frozen_bits"] == 0
    assert totals["numbers_per_batch"] == WIDTH
    assert len(down) == 4
    assert (down["bits"] == 32 * WIDTH + 8 * HEADER_BYTES).all()


STRONG = Compression(bits=2, keep=0.25)


def gradients(rounds: int, clients: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((rounds, clients, width)).astype(np.float32)


@settings(max_examples=30)
@given(st.integers(1, 16) | st.just(32), st.sampled_from([1.0, 0.5, 0.1]), st.integers(1, 6))
def test_sent_and_remembered_add_up_to_all_gradients(bits, keep, rounds):
    """Summed over rounds, Eq. (21) telescopes: sum g' + m = sum g."""
    m = memory(2, 20)
    sent = np.zeros((2, 20))
    every = gradients(rounds, 2, 20)
    for g in every:
        sent += compress_with_feedback(g, m, np.arange(2), Compression(bits, keep)).values
    np.testing.assert_allclose(sent + m, every.sum(axis=0, dtype=np.float64), atol=1e-4)


def test_a_client_twice_in_a_round_is_refused():
    with pytest.raises(ValueError, match="at most once"):
        compress_with_feedback(np.ones((2, 4)), memory(3, 4), np.array([1, 1]), STRONG)


def test_memory_cost_of_the_paper():
    assert memory_bytes(6250, 35_665_418) == 891_635_450_000
    assert memory(3, 7).nbytes == memory_bytes(3, 7)
