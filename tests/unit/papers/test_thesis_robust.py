"""What sentences on robust networks compare: a curve of mixtures beside single trainings."""

import pandas as pd
import pytest
from fbftl.papers.quantities import Runs
from fbftl.papers.thesis.claims_robust import SENTENCES, SHARES, best_share
from fbftl.study.job import name_of

MIXED = {"method": "robust", "network": "mlp"}


def runs(robust_at_half: float) -> Runs:
    """Return a curve that is traded evenly, beside a training of 60 % clean and 30 % robust."""
    shared = MIXED | {"disturbed_normalisation": "shared", "robust_weight": 0.1}
    curve = {0: (0.8, 0.1), 0.2: (0.75, 0.2), 0.5: (0.7, robust_at_half), 0.8: (0.5, 0.4)}
    curve[1] = (0.4, 0.5)
    of_mixed = {
        f"{kind}_accuracy_at_{share:g}": curve[share][place]
        for share in SHARES
        for place, kind in enumerate(("standard", "robust"))
    }
    of_shared = {"standard_accuracy_at_0": 0.6, "robust_accuracy_at_0": 0.3}
    return Runs(
        pd.DataFrame(
            {"task": "toy", "seed": seed, "diverged": False, "setting": name_of(axes)}
            | axes
            | measured
            for axes, measured in ((MIXED, of_mixed), (shared, of_shared))
            for seed in range(3)
        )
    )


@pytest.mark.parametrize(("robust", "lead"), [(0.35, 5), (0.25, -5)])
def test_a_curve_is_ahead_of_a_point_if_it_passes_above_it(robust, lead):
    table = runs(robust)
    assert best_share(table, 0.1) == 0.5
    clean, disturbed = (
        SENTENCES["c4-22"][f"{kind}_weight_0.1"](table) for kind in ("standard", "robust")
    )
    assert (clean[1] - clean[0]).values.tolist() == pytest.approx([10] * 3)
    assert (disturbed[1] - disturbed[0]).values.tolist() == pytest.approx([lead] * 3)


def test_a_weight_that_was_not_run_is_not_compared():
    first, _ = SENTENCES["c4-22"]["robust_weight_0.3"](runs(0.35))
    assert first.values.empty
