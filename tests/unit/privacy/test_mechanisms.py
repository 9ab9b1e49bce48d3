from math import sqrt

import pytest
from fbftl.privacy.accounting import gaussian_epsilon, gaussian_sigma, rounds_epsilon, rounds_sigma
from fbftl.privacy.mechanisms import (
    dp_fedavg,
    dp_fedavg_by_rounds,
    gaussian,
    gaussian_per_client,
)


def test_gaussian_meets_its_epsilon_for_a_replaced_sample():
    sigma = gaussian_sigma(4, 1e-6, "replace-one")
    replaced, zeroed = gaussian(clip_norm=2.0, sigma=sigma, delta=1e-6)
    assert (replaced.unit, replaced.adjacency) == ("sample", "replace-one")
    assert replaced.epsilon == pytest.approx(4, rel=1e-9)
    assert zeroed.adjacency == "zero-out"
    assert zeroed.epsilon < replaced.epsilon
    assert replaced.noise_std == 2 * sigma
    assert not replaced.covers_labels


def test_a_client_with_more_samples_is_protected_less():
    one, many = (
        gaussian_per_client(clip_norm=1.0, sigma=8.0, delta=1e-6, samples=k) for k in (1, 16)
    )
    assert one.epsilon == gaussian(clip_norm=1.0, sigma=8.0, delta=1e-6)[0].epsilon
    assert many.epsilon == gaussian_epsilon(8.0 / sqrt(16), 1e-6)
    assert many.unit == "client"


def test_dp_fedavg_prints_client_and_sample_level():
    sigma = rounds_sigma(4, 1e-6, rate=0.1, rounds=50)
    records = dp_fedavg(clip_norm=1.0, sigma=sigma, delta=1e-6, rate=0.1, rounds=50)
    assert [(r.unit, r.adjacency) for r in records] == [
        ("client", "add-remove"),
        ("client", "replace-one"),
        ("sample", "replace-one"),
    ]
    client, replaced, sample = records
    assert client.epsilon == pytest.approx(4, rel=2e-3)
    assert client.epsilon < replaced.epsilon == sample.epsilon
    expected = rounds_epsilon(sigma, 1e-6, rate=0.1, rounds=50, adjacency="replace-one")
    assert replaced.epsilon == pytest.approx(expected)
    assert {r.accountant for r in records} == {"PLD"}


def test_rounds_of_unequal_noise_are_one_release_where_everybody_takes_part():
    even = dp_fedavg(clip_norm=1.0, sigma=6.0, delta=1e-6, rate=1, rounds=2)
    falling = dp_fedavg_by_rounds(
        clip_norm=1.0, multipliers=[12.0, 12.0 / 7**0.5], delta=1e-6, rate=1
    )
    assert falling[0].epsilon == pytest.approx(even[0].epsilon)
