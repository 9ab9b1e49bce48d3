"""Indices of similarity: what leaves each as it is, and whose twin it finds."""

import compare_similarity
import numpy as np
import pandas as pd
import pytest
from fbftl.methods.fedvote.index_comparison import INDICES, canonical, matched, regressed
from fbftl.methods.fedvote.sources import cka
from fbftl.study.methods import axes_by_method
from unit.methods.framework_toys import params_of


@pytest.fixture
def features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(60, 5))


@pytest.mark.parametrize("name", [*INDICES])
def test_features_are_as_like_themselves_as_can_be_turned_or_scaled(features, name):
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))
    assert INDICES[name](features, 3 * features @ turn + 1) == pytest.approx(1)


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


def test_the_table_of_indices_has_a_row_for_each_seed(frameworks, tmp_path):
    names = ("manifest", "clients", "weights", "source", "source_models")
    files = {name: str(getattr(frameworks, name)) for name in names}
    of_job = params_of("fedvote") | {"seeds": [0, 1]}
    csv = tmp_path / "similarity.csv"
    compare_similarity.main(files, str(csv), [of_job], axes_by_method(), "cpu", 1)
    table = pd.read_csv(csv)
    assert table["seed"].tolist() == [0, 1]
    shares = table[[f"matched_{name}" for name in INDICES]].to_numpy()
    assert ((shares >= 0) & (shares <= 1)).all()
