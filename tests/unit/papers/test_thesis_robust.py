"""What sentences on robust networks compare: a curve of mixtures beside single trainings."""

from collections.abc import Sequence

import pytest
from fbftl.papers.quantities import Runs
from fbftl.papers.thesis.claims_robust import SENTENCES, best_shares
from unit.papers.claimed import runs_of

MIXED = {"method": "robust", "network": "mlp"}


def runs(robust_at_half: Sequence[float]) -> Runs:
    """Return curves that are traded evenly, beside trainings of 60 % clean and 30 % robust.

    Those are of weights 0.1 and, less accurate, 1; of weight 0 the clean accuracy is 90 %.

    Args:
        robust_at_half: by seed, what is right of disturbed inputs at λ 0.5.
    """
    seeds = len(robust_at_half)

    def even(value: float) -> list[float]:
        return [value] * seeds

    standard = {0: 0.8, 0.2: 0.75, 0.5: 0.7, 0.8: 0.5, 1: 0.4}
    robust = {0: 0.1, 0.2: 0.2, 0.8: 0.4, 1: 0.5}
    of_mixed = {f"standard_accuracy_at_{share:g}": even(v) for share, v in standard.items()}
    of_mixed |= {f"robust_accuracy_at_{share:g}": even(v) for share, v in robust.items()}
    of_mixed["robust_accuracy_at_0.5"] = list(robust_at_half)
    trained = [
        (
            MIXED | {"disturbed_normalisation": "shared", "robust_weight": weight},
            {"standard_accuracy_at_0": even(clean), "robust_accuracy_at_0": even(disturbed)},
        )
        for weight, clean, disturbed in ((0.1, 0.6, 0.3), (0.0, 0.9, 0.0), (1.0, 0.5, 0.3))
    ]
    return runs_of((MIXED, of_mixed), *trained, task="toy", seeds=seeds)


@pytest.mark.parametrize(("robust", "lead"), [(0.35, 5), (0.25, -5)])
def test_a_curve_is_ahead_of_a_point_if_it_passes_above_it(robust, lead):
    table = runs([robust] * 3)
    assert best_shares(table, 0.1) == dict.fromkeys(range(3), 0.5)
    clean, disturbed = (
        SENTENCES["c4-22"][f"{kind}_weight_0.1"](table) for kind in ("standard", "robust")
    )
    assert (clean[1] - clean[0]).values.tolist() == pytest.approx([10] * 3)
    assert (disturbed[1] - disturbed[0]).values.tolist() == pytest.approx([lead] * 3)


def test_no_seed_chooses_the_share_at_which_it_is_judged():
    """The first seed alone is robust at λ 0.5; the others' mean is better at 0.2."""
    table = runs([0.6, 0.1, 0.1])
    assert best_shares(table, 0.1) == {0: 0.2, 1: 0.5, 2: 0.5}
    single, mixed = SENTENCES["c4-22"]["robust_weight_0.1"](table)
    assert (mixed - single).values.tolist() == pytest.approx([-10, -20, -20])


def test_a_single_seed_has_nothing_to_choose_by():
    _, mixed = SENTENCES["c4-22"]["robust_weight_0.1"](runs([0.35]))
    assert mixed.values.isna().tolist() == [True]
