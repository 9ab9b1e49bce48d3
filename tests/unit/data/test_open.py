"""Open data: samples of the target that nobody holds, of as many classes as the task has."""

import numpy as np
import pytest
from fbftl.data.public import check_open, letters, open_samples
from fbftl.ground.errors import UserError

DIGITS = {"kind": "digits", "test_fraction": 0.2, "portion": None, "classes": None, "limit": None}
DIGITS |= {"seed": 0}


def test_more_classes_than_letters_are_refused():
    with pytest.raises(UserError, match="there are 52 letters and the task has 53 classes"):
        letters(30, (8, 8, 1), 53, seed=0)


def test_what_a_client_holds_is_not_open():
    spec = {"letters": 0, "target": DIGITS, "seed": 0}
    nobody = np.zeros((1, 8, 8, 1), dtype=np.uint8)
    everything, _ = open_samples(spec, nobody, 10, None)["target"]
    fewer, labels = open_samples(spec, everything[:400], 10, None)["target"]
    assert len(fewer) == len(labels) <= len(everything) - 400


def test_open_data_of_other_classes_are_refused():
    block = {"data": DIGITS, "open_data": {"target": DIGITS | {"classes": [0, 1, 2]}}}
    with pytest.raises(UserError, match=r"tasks.toy.open_data.target has 3 classes and"):
        check_open("toy", block, None)
    check_open("toy", block | {"open_data": {"target": DIGITS}}, None)
