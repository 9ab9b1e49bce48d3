"""FbFTL and FTL_c end to end on a toy store: what arrives, what is recorded, what repeats."""

import pytest
from fbftl.tasks.task import Inputs
from unit.methods.method_toys import run


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}])
def test_both_learn_the_blobs_and_repeat_exactly(blobs: Inputs, setting: dict) -> None:
    first, second = run(blobs, setting), run(blobs, setting)
    assert min(r["test_accuracy"] for r in first.repetitions) > 0.8
    assert first.repetitions == second.repetitions
    assert first.ledger.table().equals(second.ledger.table())


def test_nothing_received_leaves_an_untrained_head(blobs: Inputs) -> None:
    outcome = run(blobs, {"fraction": 0.04, "plr": 0.99})
    empty = [r for r in outcome.repetitions if r["received"] == 0]
    assert empty
    assert all(r["seen"] == 0 and not r["diverged"] for r in empty)
