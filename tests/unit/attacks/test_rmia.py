"""RMIA is the authors' formula: the count of pairs itself."""

import numpy as np
import pytest
from fbftl.attacks.choice import Rmia, dominated
from fbftl.attacks.shadows import Population, against
from hypothesis import given
from hypothesis import strategies as st
from unit.attacks.gaussian_models import trained_on_halves


@pytest.mark.parametrize("offset", [None, 0.0, 0.3, 1.0])
def test_scores_are_the_share_of_pairs(offset):
    """Every x beside every z, as the authors' code counts them."""
    models, shadows = trained_on_halves(1.0, models=16, samples=50), [0, 1, 2, *range(4, 16)]
    target, p = 3, 1 / (1 + np.exp(-models.confidence))
    z = 1 / (1 + np.exp(-models.unseen))
    expected = []
    for x in range(50):
        outside, inside = (
            np.mean([p[k, x] for k in shadows if which[k, x]])
            for which in (models.other, models.member)
        )
        a = offset or 0.0
        mean_x = (inside + outside) / 2 if offset is None else (1 + a) / 2 * outside + (1 - a) / 2
        hits = 0
        for each in range(50):
            mean_z = np.mean([z[k, each] for k in shadows])
            if offset is not None:
                mean_z = (1 + a) / 2 * mean_z + (1 - a) / 2
            hits += (p[target, x] / mean_x) / (z[target, each] / mean_z) > 1
        expected.append(hits / 50)
    scores = Rmia(offset)(against(models, target, shadows))
    np.testing.assert_array_equal(scores, expected)


ratios = st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=8)


@given(ratios, ratios, st.sampled_from([1.0, 2.0]))
def test_a_candidate_dominates_strictly(candidates, references, gamma):
    shares = [np.mean([x / z > gamma for z in references]) for x in candidates]
    result = dominated(np.array(candidates), np.array(references), gamma)
    np.testing.assert_allclose(result, shares)


@pytest.mark.parametrize("offset", [None, 0.3])
def test_probabilities_of_nearly_nothing_give_numbers(offset):
    models = trained_on_halves(0.0, models=5, samples=20)
    far = Population(1e3 * models.confidence, models.member, models.other, 1e3 * models.unseen)
    scores = Rmia(offset)(against(far, 0, [1, 2, 3, 4]))
    assert np.isfinite(scores).all()


def test_a_sample_without_shadows_on_one_side_is_compared_with_the_target_itself():
    member = np.zeros((3, 2), dtype=bool)
    member[1:, 0] = True
    models = Population(np.ones((3, 2)), member, ~member, np.zeros((3, 4)))
    seen = against(models, 0, [1, 2])
    np.testing.assert_array_equal(seen.probability_outside, seen.probability)
    np.testing.assert_array_equal(seen.probability_inside, seen.probability)
