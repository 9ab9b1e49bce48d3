"""Which test samples are right, as text of a run file, and which epoch's a record has."""

import numpy as np
import pytest
from fbftl.training.curves import RIGHT, Curves, packed, record, unpacked
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays


@given(arrays.arrays(bool, st.integers(1, 70)))
def test_a_text_has_every_answer(right: np.ndarray) -> None:
    assert unpacked(packed(right)).tolist() == right.tolist()


def test_ten_thousand_answers_take_little_more_than_a_bit_each() -> None:
    right = np.random.default_rng(0).random(10_000) < 0.5
    assert len(packed(right)) < 1.1 * 10_000 / 8 * 4 / 3


@pytest.mark.parametrize("text", ["", "9", "x:", "9:AAAA", "9:!", packed(np.ones(9, bool))[:-4]])
def test_what_is_no_such_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="right answers are damaged"):
        unpacked(text)


def followed(*epochs: tuple[float, float, list[bool]]) -> Curves:
    """Return curves of epochs, each of a loss, a validation accuracy and right answers."""
    curves = Curves()
    for loss, validation, right in epochs:
        curves.append(loss, validation, loss, np.mean(right).item(), "", np.array(right))
    return curves


def test_a_record_has_the_answers_of_the_epoch_that_it_chose() -> None:
    curves = followed((1.0, 0.9, [True, False, True]), (0.5, 0.8, [False, False, True]))
    assert unpacked(record(curves, "validation")[RIGHT]).tolist() == [True, False, True]
    assert unpacked(record(curves, "last")[RIGHT]).tolist() == [False, False, True]


def test_of_what_has_diverged_no_answer_is_right() -> None:
    found = record(followed((np.nan, 0.9, [True, True])), "last")
    assert found["test_accuracy"] == 0
    assert not unpacked(found[RIGHT]).any()


def test_where_several_models_answer_nothing_is_said() -> None:
    curves = Curves()
    curves.append(1.0, None, None, 0.5, "")
    assert RIGHT not in record(curves, "last")
