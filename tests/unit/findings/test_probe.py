"""The probe: exact inputs, digests that tell bytes apart, operations that repeat themselves."""

import numpy as np
import pytest
import torch
from fbftl.findings.probe.digest import digest
from fbftl.findings.probe.inputs import floats, integers, numbers, positive_definite
from fbftl.findings.probe.operations import KINDS, digests, operations
from fbftl.ground.errors import UserError


@pytest.mark.parametrize("reach", [1, 4, 8, 128])
def test_numbers_are_exact_in_float32(reach):
    drawn = numbers(1000, reach=reach)
    assert (floats(1000, reach=reach) == drawn).all()
    assert -reach <= drawn.min() < -reach * 0.9 < reach * 0.9 < drawn.max() < reach


def test_inputs_are_drawn_by_their_number_and_shape():
    assert (integers(9, 40) == integers(9, 40)).all()
    assert (integers(9, 40) != integers(9, 40, draw=1)).any()
    assert (integers(9, 40) != integers(9, 2, 20).ravel()).any()


def test_the_matrix_is_exact_and_positive_definite():
    matrix = positive_definite(20)
    assert (matrix == matrix.T).all()
    assert (matrix * 2**10 == np.rint(matrix * 2**10)).all()
    assert np.linalg.eigvalsh(matrix).min() >= 0.99


DIFFERENT = [
    None, 0, False, 0.0, -0.0, "", "0", [], [0], [[0]], [0, 0], {}, {"a": 0}, b"0",
    np.zeros(1), np.zeros(2), np.zeros((1, 2)), np.zeros(2, np.float32), -np.zeros(2),
    np.array([0.0, 5e-324]), np.zeros(2, np.int64),
]  # fmt: skip


def test_digests_tell_values_types_and_shapes_apart():
    assert len({digest(value) for value in DIFFERENT}) == len(DIFFERENT)


def test_equal_values_have_equal_digests():
    values = np.arange(12.0).reshape(3, 4)
    assert digest(values.T) == digest(np.ascontiguousarray(values.T))
    assert digest(torch.from_numpy(values).requires_grad_()) == digest(values)
    assert digest((1, [2.0])) == digest([1, (2.0,)])
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [object(), np.array([None]), {1, 2}])
def test_a_value_without_bytes_has_no_digest(value):
    with pytest.raises(TypeError, match="has no digest"):
        digest(value)


def test_every_kind_has_operations_and_an_operation_can_be_had_alone():
    names = list(operations())
    assert {name.partition("/")[0] for name in names} == set(KINDS)
    assert list(operations(["scipy"])) == [name for name in names if name.startswith("scipy/")]
    assert list(operations(["numpy/sums"])) == ["numpy/sums"]


@pytest.mark.parametrize("name", ["nothing", "numpy/nothing", "nothing/sums", ""])
def test_an_unknown_operation_is_refused(name):
    with pytest.raises(UserError, match="the probe has no operation"):
        operations([name])


def test_operations_repeat_themselves_whatever_was_drawn_before():
    first = dict(digests())
    torch.rand(3)
    np.random.seed(5)
    assert dict(digests()) == first
    assert len(set(first.values())) == len(first)
