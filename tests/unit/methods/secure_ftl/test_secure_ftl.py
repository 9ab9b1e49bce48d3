"""Secure FTL: gradients by finite differences, shares and triples, plain against protected."""

from typing import Any

import numpy as np
import pytest
from fbftl.exchange.post import Post
from fbftl.ground.errors import UserError
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.methods import by_name
from fbftl.methods.secure_ftl.products import (
    Shares,
    multiplication_triple,
    multiplied,
    opened,
    plain,
    products,
    randomness,
    shared,
)
from fbftl.methods.secure_ftl.run import Parties, Party
from fbftl.privacy.masking import to_ring
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.training.tasks.task import Inputs, Outcome
from scipy.stats import chi2
from unit.training.tasks.toy_task import job

STEP = 1e-6


def parties(samples: int = 9, common: int = 5, width: int = 4, dimensions: int = 3) -> Parties:
    draws = np.random.default_rng(0)
    a = Party(draws.normal(size=(samples, width)), draws.normal(size=(width, dimensions)))
    b = Party(draws.normal(size=(common, width + 1)), draws.normal(size=(width + 1, dimensions)))
    return Parties(a, b, np.where(draws.random(samples) < 0.5, -1, 1), gamma=0.3)


def post() -> Post:
    return Post(Ledger(method="secure_ftl"), Link(PacketLoss(0.0), 0, 64), 3, no_mechanism())


def gradients(parties: Parties, multiply) -> tuple[np.ndarray, np.ndarray]:
    of_a = multiply(parties.matrix_of_a(), parties.numbers_of_b(), 0, 1)
    return of_a, multiply(parties.matrix_of_b(), parties.numbers_of_a(), 1, 1)


@pytest.mark.parametrize("party", ["a", "b"])
def test_gradients_are_those_of_finite_differences(party):
    both = parties()
    gradient = dict(zip("ab", gradients(both, plain(post())), strict=True))[party].T

    def loss(weights: np.ndarray) -> float:
        from dataclasses import replace

        changed = replace(getattr(both, party), weights=weights)
        return replace(both, **{party: changed}).loss(0.0)

    start = getattr(both, party).weights
    for index in np.ndindex(start.shape):
        moved = np.zeros_like(start)
        moved[index] = STEP
        slope = (loss(start + moved) - loss(start - moved)) / (2 * STEP)
        assert gradient[index] == pytest.approx(slope, abs=1e-8)


# --- shares -----------------------------------------------------------------------------------


def test_shares_and_triples_are_exact_in_the_ring():
    draws = np.random.default_rng(1)
    x = draws.integers(2**64, size=(2, 3, 4), dtype=np.uint64)
    y = draws.integers(2**64, size=(2, 4), dtype=np.uint64)
    shares = shared(x, randomness(0, 0)), shared(y, randomness(0, 1))
    assert np.array_equal(opened(shares[0]), x)
    triple = multiplication_triple(2, 3, 4, randomness(0, 2))
    assert np.array_equal(opened(triple.c), products(opened(triple.a), opened(triple.b)))
    assert np.array_equal(opened(multiplied(*shares, triple)), products(x, y))
    assert int(products(x, y)[0, 0]) == sum(map(int, x[0, 0] * y[0])) % 2**64


def test_a_share_alone_is_uniform():
    """By a chi-squared test of each share's bytes, whatever is shared."""
    for share in shared(to_ring(np.full(20_000, 1.5)), randomness(5, 0)):
        counts = np.bincount(share.view(np.uint8), minlength=256)
        expected = counts.sum() / 256
        statistic = ((counts - expected) ** 2 / expected).sum()
        assert chi2.sf(statistic, 255) > 1e-3


def test_protected_gradients_are_the_plain_ones_to_fixed_point():
    both = parties(samples=40, common=30, width=12, dimensions=4)
    for protected, expected in zip(
        gradients(both, Shares(post())), gradients(both, plain(post())), strict=True
    ):
        assert np.abs(protected - expected).max() < 2**-16


def test_what_beaver_sends_is_counted_share_by_share():
    sent = post()
    Shares(sent)(np.ones((2, 3, 4)), np.ones((2, 4)), 1, 7)
    rows = sent.ledger.table().to_pandas()
    assert set(rows["direction"]) == {"between"}
    assert set(rows["part"]) == {"share"}
    numbers = rows.groupby(["sender", "client"], observed=True)["payload_bits"].sum() // 64
    triple, x, y, z = 2 * 12 + 2 * 4 + 2 * 3, 24, 8, 6
    assert numbers["dealer", 0] == numbers["dealer", 1] == triple
    assert numbers["client", 1] == x + (x + y)
    assert numbers["client", 0] == y + (x + y) + z


# --- whole runs -------------------------------------------------------------------------------


def run(digits: Inputs, **axes: Any) -> Outcome:
    values = {"rounds": 60, "learning_rate": 1.0, "selection": "last"}
    (outcome,) = by_name.train([job({"method": "secure_ftl"} | axes, **values)], digits)
    return outcome


def test_plain_and_protected_runs_predict_alike_in_every_round(digits):
    axes = {"common_samples": 20, "aligned_dimensions": 3, "alignment_weight": 0.1}
    open_run, protected = (run(digits, protection=how, **axes) for how in ("plain", "beaver"))
    (ours,), (theirs,) = open_run.repetitions, protected.repetitions
    assert ours["series"]["test_accuracy"] == theirs["series"]["test_accuracy"]
    np.testing.assert_allclose(
        ours["series"]["loss"], theirs["series"]["loss"], atol=2**-16, rtol=0
    )
    assert ours["series"]["loss"][-1] < ours["series"]["loss"][0]
    assert set(open_run.ledger.table().to_pandas()["part"]) == {"activations"}
    assert 0 < theirs["gradient_error"] < 2**-16
    assert theirs["predictions_apart"] == 0
    assert "gradient_error" not in ours


def test_more_common_samples_than_there_are_is_refused(digits):
    with pytest.raises(UserError, match="200 common samples of 124"):
        run(digits, common_samples=200)
