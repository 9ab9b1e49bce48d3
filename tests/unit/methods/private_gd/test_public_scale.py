"""Public statistics shape private rows, each alone."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.private_gd.heads import public_scale

PUBLIC = np.random.default_rng(0).normal([1, 2, 3, 4], [1, 5, 2, 0], (200, 4)).astype(np.float32)


@pytest.mark.parametrize("components", [None, 3])
def test_public_samples_come_out_centred_with_equal_spreads_and_the_norm(components):
    rows = public_scale(PUBLIC, 10.0, components)(PUBLIC)
    assert rows.mean(axis=0) == pytest.approx(np.zeros(components or 4), abs=1e-5)
    moving = rows.std(axis=0)[:3]
    assert moving == pytest.approx(np.full(3, moving[0]), rel=1e-5)
    assert np.linalg.norm(rows, axis=1).max() == pytest.approx(10.0, rel=1e-5)


def test_a_private_row_is_clipped_and_looks_at_no_other():
    scale = public_scale(PUBLIC, 10.0)
    far = np.array([[1000, 2, 3, 4], [1, 2, 3, 4]], dtype=np.float32)
    long, short = np.linalg.norm(scale(far), axis=1)
    assert long == pytest.approx(10.0, rel=1e-5)
    assert short < 1
    assert np.array_equal(scale(far)[:1], scale(far[:1]))


def test_more_components_than_numbers_are_refused():
    with pytest.raises(UserError, match="components is 5, but there are 200 public samples of 4"):
        public_scale(PUBLIC, 10.0, 5)
