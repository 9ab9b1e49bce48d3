"""The uplink of the gradient methods: averages, error feedback, noise, and its record."""

import numpy as np
import pytest
from fbftl.exchange.uplink import Releasing, Uplink, compressing, noisy_mean, relatively_noisy
from fbftl.messages.codec import Compression, compress
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link, link_of
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.settings import Setting

WIDTH, CLIENTS = 40, 6
COUNTS = np.array([3, 5, 2])
TAKING_PART = np.array([4, 0, 2])


def updates() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, WIDTH)).astype(np.float32)


def uplink(releasing: Releasing | None, setting: Setting | None = None, **changes) -> Uplink:
    setting = setting or Setting()
    return Uplink(
        link=link_of(setting, 8 * 64),
        floats=lambda counts: np.full_like(counts, WIDTH),
        seed=0,
        compression=Compression(setting.bits, setting.keep),
        releasing=releasing,
        **changes,
    )


def test_plain_updates_average_over_samples() -> None:
    sent = uplink(compressing(Compression(), None))
    mean = sent.average(TAKING_PART, COUNTS, updates())
    assert mean == pytest.approx(updates().sum(axis=0) / COUNTS.sum(), abs=1e-6)


def test_error_feedback_sends_later_what_was_left_out() -> None:
    """Eq. (20)-(21): what is sent plus what is remembered is what there was to send."""
    compression, memory = Compression(2, 0.1), np.zeros((CLIENTS, WIDTH), dtype=np.float32)
    sent = uplink(compressing(compression, memory))
    first = sent.average(TAKING_PART, COUNTS, updates()) * COUNTS.sum()
    assert first + memory.sum(axis=0) == pytest.approx(updates().sum(axis=0), abs=1e-5)
    assert (memory[[1, 3, 5]] == 0).all()
    again = compress(updates() + memory[TAKING_PART], compression).values.sum(axis=0)
    second = sent.average(TAKING_PART, COUNTS, updates()) * COUNTS.sum()
    assert second == pytest.approx(again, abs=1e-5)


def test_without_feedback_nothing_is_remembered() -> None:
    sent = uplink(compressing(Compression(2, 0.1), None))
    first = sent.average(TAKING_PART, COUNTS, updates())
    assert (sent.average(TAKING_PART, COUNTS, updates()) == first).all()


def test_lost_updates_leave_sum_and_count() -> None:
    class LosesFirst(Link):
        def send(self, bits: np.ndarray, rng: np.random.Generator):
            delivery = super().send(bits, rng)
            delivery.arrives[0] = False
            return delivery

    sent = uplink(compressing(Compression(), None))
    sent.link = LosesFirst(sent.link.channel, 0, sent.link.block_bits)
    mean = sent.average(TAKING_PART, COUNTS, updates())
    assert mean == pytest.approx(updates()[1:].sum(axis=0) / COUNTS[1:].sum(), abs=1e-6)


def test_relative_noise_grows_with_sigma_and_repeats() -> None:
    def error(sigma: float) -> float:
        sent = uplink(relatively_noisy(sigma, Compression(), seed=0))
        mean = sent.average(TAKING_PART, COUNTS, updates())
        return float(np.abs(mean - updates().sum(axis=0) / COUNTS.sum()).mean())

    assert error(0.1) == error(0.1)
    assert error(0.2) == pytest.approx(2 * error(0.1), rel=1e-3)


def test_dp_fedavg_divides_by_the_expected_count() -> None:
    sent = uplink(compressing(Compression(), None), averaging=noisy_mean(1e-9, 0.5, 20.0, seed=0))
    values = updates()
    clipped = values * np.minimum(0.5 / np.linalg.norm(values, axis=1, keepdims=True), 1)
    mean = sent.average(TAKING_PART, COUNTS, values)
    assert mean == pytest.approx(clipped.sum(axis=0) / 20, abs=1e-5)


def test_a_round_without_clients_is_noise_alone_and_sends_nothing() -> None:
    nobody = np.arange(0)
    sent = uplink(compressing(Compression(), None), averaging=noisy_mean(1.0, 0.5, 20.0, seed=0))
    mean = sent.average(nobody, nobody, np.zeros((0, WIDTH), dtype=np.float32))
    assert mean.shape == (WIDTH,)
    assert mean.std() == pytest.approx(0.5 / 20, rel=0.5)
    sent.average(TAKING_PART, COUNTS, updates())
    ledger = Ledger(method="ftl_c")
    counts = sent.enter(ledger, np.arange(CLIENTS), WIDTH, no_mechanism())
    up = ledger.table().to_pandas().query("direction == 'up'")
    assert up["round"].tolist() == [2] * 3
    assert counts == {"messages": 3, "messages_lost": 0}


def test_every_message_is_in_the_ledger_with_its_length_and_digest() -> None:
    compression = Compression(8, 0.5)
    sent = uplink(compressing(compression, None), Setting(bits=8, keep=0.5, plr=0.5))
    for _ in range(4):
        sent.average(TAKING_PART, COUNTS, updates())
    ledger = Ledger(method="fl")
    counts = sent.enter(ledger, np.arange(CLIENTS) + 100, WIDTH, no_mechanism())
    rows = ledger.table().to_pandas()
    up, down = rows[rows.direction == "up"], rows[rows.direction == "down"]
    assert up["round"].tolist() == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert up["client"].tolist() == [104, 100, 102] * 4
    assert up["bits"].tolist() == compress(updates(), compression).bits.tolist() * 4
    assert (up["payload_bits"] == 8 * WIDTH // 2).all()
    assert up["sha256"].nunique() == 3
    assert counts == {"messages": 12, "messages_lost": int(up["lost"].sum())}
    assert len(down) == 4
    assert (down["bits"] == 32 * WIDTH + 8 * HEADER_BYTES).all()


def test_updates_that_are_never_made_are_recorded_all_the_same() -> None:
    sent = uplink(None)
    assert sent.arrivals(TAKING_PART, COUNTS).all()
    ledger = Ledger(method="fl")
    sent.enter(ledger, np.arange(CLIENTS), WIDTH, no_mechanism())
    up = ledger.table().to_pandas().query("direction == 'up'")
    assert (up["bits"] == 32 * WIDTH + 8 * HEADER_BYTES).all()
    assert up["sha256"].isna().all()
