"""Error feedback: what is not sent is remembered."""

from types import SimpleNamespace

import numpy as np
import pytest
from fbftl.exchange import uplink
from fbftl.exchange.uplink import compress_with_feedback, mapped_memory, memory
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, compress
from fbftl.study.bounds import memory_bytes
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_memory_waits_for_the_next_participation():
    m = memory(2, 8)
    first, second, third = gradients(3, 1, 8)
    sent = compress_with_feedback(first, m, np.array([0]), STRONG).values
    compress_with_feedback(second, m, np.array([1]), STRONG)
    again = compress_with_feedback(third, m, np.array([0]), STRONG).values
    np.testing.assert_array_equal(again, compress(third + (first - sent), STRONG).values)


def test_a_client_twice_in_a_round_is_refused():
    with pytest.raises(ValueError, match="at most once"):
        compress_with_feedback(np.ones((2, 4)), memory(3, 4), np.array([1, 1]), STRONG)


def test_memory_cost_of_the_paper():
    assert memory_bytes(6250, 35_665_418) == 891_635_450_000
    assert memory(3, 7).nbytes == memory_bytes(3, 7)


def test_mapped_memory_without_room_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(uplink.shutil, "disk_usage", lambda _: SimpleNamespace(free=10**9))
    with pytest.raises(UserError, match=r"891\.6 GB .* 1\.0 GB left"):
        mapped_memory(6250, 35_665_418, tmp_path)
