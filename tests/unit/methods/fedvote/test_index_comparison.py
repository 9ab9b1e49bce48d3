"""Indices of similarity: what leaves each as it is, and whose twin it finds."""

import numpy as np
import pytest
from fbftl.methods.fedvote.index_comparison import (
    INDICES,
    canonical,
    matched,
    regressed,
    shares_matched,
)
from fbftl.methods.fedvote.similarity import cka
from fbftl.tasks.task import client_samples
from unit.methods.frameworks.framework_toys import job_of, make_inputs


@pytest.fixture
def features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(60, 5))


@pytest.mark.parametrize("name", [*INDICES])
def test_features_are_as_like_themselves_as_can_be_turned_or_scaled(features, name):
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))
    assert INDICES[name](features, 3 * features @ turn + 1) == pytest.approx(1)


def test_maps_that_are_no_turns_change_cka_alone(features):
    squeezed = features @ np.diag([1, 1, 1, 1, 30.0])
    assert canonical(features, squeezed) == pytest.approx(1)
    assert regressed(features, squeezed) == pytest.approx(1)
    assert cka(features, squeezed) < 0.9


def test_an_empty_direction_and_constant_features_count_for_nothing(features):
    padded = np.hstack([features, np.zeros((60, 3))])
    assert canonical(features, padded) == pytest.approx(1)
    assert canonical(features, np.ones((60, 2))) == regressed(np.ones((60, 2)), features) == 0


def test_half_of_the_variance_is_explained_by_half_of_equal_directions(features):
    basis, _ = np.linalg.qr(features - features.mean(0))
    assert regressed(basis[:, :4], basis[:, :2]) == pytest.approx(0.5)
    assert canonical(basis[:, :2], basis[:, 2:4]) == pytest.approx(0, abs=1e-12)


def test_twins_stand_side_by_side(features):
    others = np.random.default_rng(2).normal(size=(60, 5))
    twins = [features, 2 * features, others, -others]
    assert {name: matched(twins, index) for name, index in INDICES.items()} == dict.fromkeys(
        INDICES, 1.0
    )
    assert matched([features, others, 2 * features, -others], cka) == 0.0


def test_networks_of_two_labels_each_are_compared_on_a_task(tmp_path):
    inputs = make_inputs(tmp_path)
    job = job_of("fedvote")
    shares = [shares_matched(job, client_samples(job, inputs), seed) for seed in (0, 0, 1)]
    assert shares[0] == shares[1] != shares[2]
    assert all(share * 10 == round(share * 10) for share in shares[0].values())
    assert set(shares[0]) == set(INDICES)
