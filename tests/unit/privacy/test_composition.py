"""Events compose: one costs its own epsilon, Gaussians one Gaussian's, order changes nothing."""

import itertools
import json
import math

import pytest
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.privacy.composition import (
    NO_GUARANTEE,
    compose,
    factor_to_epsilon,
    gaussian,
    pure,
    read,
    rounds,
)
from fbftl.privacy.mechanisms import (
    dp_fedavg,
    dp_gd,
    laplace,
    randomised_response,
    update_gaussian,
)
from fbftl.privacy.mechanisms import gaussian as gaussian_records
from fbftl.privacy.statistics import statistics_guarantee

DELTA = 1e-6
SAMPLED = rounds(1.5, 0.1, 20)


@pytest.mark.parametrize("count", [2, 100])
def test_equal_gaussians_are_one_with_less_noise(count):
    expected = gaussian_epsilon(9.0 / math.sqrt(count), DELTA, "replace-one")
    apart = compose([gaussian(9.0)] * count, DELTA, "replace-one")
    assert apart.epsilon == pytest.approx(expected, abs=1e-6)
    assert compose([gaussian(9.0, count)], DELTA, "replace-one").epsilon == pytest.approx(
        expected, abs=1e-6
    )


def test_order_changes_nothing():
    events = [gaussian(3.0), pure(0.5), SAMPLED]
    costs = {compose(order, DELTA, "add-remove") for order in itertools.permutations(events)}
    assert len(costs) == 1


@pytest.mark.parametrize(("epsilon", "times"), [(1e-4, 1_000), (0.5, 2)])
def test_pure_events_never_cost_more_than_their_sum(epsilon, times):
    alone = compose([gaussian(3.0)], DELTA, "replace-one").epsilon
    mixed = compose([gaussian(3.0), pure(epsilon, times)], DELTA, "replace-one")
    assert alone <= mixed.epsilon <= alone + epsilon * times


def test_an_event_without_a_guarantee_leaves_none():
    assert compose([gaussian(3.0), NO_GUARANTEE], DELTA, "add-remove").epsilon == math.inf
    assert read(()) == (NO_GUARANTEE,)


def test_every_record_tells_events_that_cost_its_epsilon():
    records = [
        *gaussian_records(clip_norm=1.0, sigma=2.0, delta=DELTA),
        *dp_fedavg(clip_norm=1.0, sigma=1.5, delta=DELTA, rate=0.1, rounds=20),
        *dp_gd(clip_norm=1.0, multipliers=[9.0, 8.0], delta=DELTA),
        laplace(epsilon=0.5, clip=1.0, coordinates=7),
        randomised_response(2.0),
        update_gaussian(clip_norm=1.0, sigma=9.0, delta=DELTA, participations=12),
        statistics_guarantee(clip_norm=1.0, epsilon=2.0, sigma=None, delta=DELTA, central=True),
    ]
    for record in records:
        events = read(json.loads(json.dumps(record.events)))
        composed = compose(events, DELTA, record.adjacency)
        assert composed.epsilon == pytest.approx(record.epsilon, rel=1e-9)
        assert composed.accountant == record.accountant


def test_rounds_of_unequal_noise_are_scaled_to_epsilon():
    shape = [2.0, 1.0]
    factor = factor_to_epsilon(shape, 0.2, 2.0, DELTA)
    reached = compose(
        [rounds(factor * multiplier, 0.2, 1) for multiplier in shape], DELTA, "add-remove"
    )
    assert 0.98 * 2.0 < reached.epsilon <= 2.0
