"""Exact kernels: products as float64's to rounding, rows alone as among others, right roots."""

import math

import numpy as np
import pytest
import torch
from fbftl.ground.devices import use_exact_kernels
from torch.autograd import gradcheck
from torch.nn import functional

SHAPES = [
    ((5, 7), (7, 3)),
    ((5, 128), (128, 64)),
    ((64, 4096), (4096, 12)),
    ((1, 128), (128, 64)),
    ((4, 5, 7), (4, 7, 3)),
    ((4, 5, 128), (4, 128, 64)),
    ((0, 128), (128, 64)),
    ((0, 5, 128), (0, 128, 64)),
    ((2, 5, 0), (2, 0, 3)),
]


@pytest.fixture(autouse=True)
def exact_kernels():
    use_exact_kernels()


def numbers(*shape):
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    return torch.randn(*shape, generator=generator)


def defined(left, right):
    """The product as the sum over the inner dimension of float64s, without BLAS."""
    return (left.double()[..., None] * right.double()[..., None, :, :]).sum(-2)


def close(product, expected):
    torch.testing.assert_close(product.double(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products_are_those_of_the_definition(left, right):
    a, b = numbers(*left), numbers(*right)
    close(a @ b, defined(a, b))


@pytest.mark.parametrize(("left", "right"), [((5, 128), (128, 64)), ((3, 5, 128), (3, 128, 64))])
def test_a_summand_is_broadcast_and_scaled(left, right):
    add = torch.addmm if len(left) == 2 else torch.baddbmm
    a, b, bias = numbers(*left), numbers(*right), numbers(*right[:-2], 1, 64)
    close(add(bias, a, b, beta=0.5, alpha=2.0), 0.5 * bias.double() + 2 * defined(a, b))
    close(add(torch.full_like(bias, torch.nan), a, b, beta=0), defined(a, b))


def test_a_row_does_not_depend_on_its_neighbours_nor_on_how_matrices_lie():
    a, b = numbers(70, 512), numbers(512, 33)
    whole = a @ b
    for rows in (2, 3, 7, 16, 33):
        assert torch.equal(a[:rows] @ b, whole[:rows])
    assert torch.equal(a.T.contiguous().T @ b, whole)
    assert torch.equal(a @ b.T.contiguous().T, whole)
    stack = torch.stack([a, -a]) @ torch.stack([b, b])
    assert torch.equal(stack, torch.stack([whole, -whole]))


def wider(matrix):
    """The same matrix as a part of a wider one."""
    return torch.cat([matrix, matrix], dim=1)[:, : matrix.shape[1]]


def test_parts_of_wider_matrices_multiply_as_they_do_alone():
    a, b = numbers(70, 512), numbers(512, 33)
    for left in (a, wider(a), wider(a.T).T):
        for right in (b, wider(b), wider(b.T).T):
            assert torch.equal(left @ right, a @ b)
            assert torch.equal(right.T @ left.T, b.T @ a.T)


def test_derivatives_of_products_are_right():
    a, b, bias = (numbers(*shape).requires_grad_() for shape in ((3, 128), (64, 128), (64,)))
    functional.linear(a, b, bias).square().sum().backward()
    outputs = 2 * (defined(a.detach(), b.detach().T) + bias.detach())
    close(a.grad, defined(outputs, b.detach()))
    close(b.grad, defined(outputs.T, a.detach()))
    close(bias.grad, outputs.sum(0))
    small = [numbers(2, 4, 3), numbers(2, 3, 5), numbers(2, 1, 5)]
    left, right, summand = (matrix.double().requires_grad_() for matrix in small)
    assert gradcheck(lambda a, b, c: torch.baddbmm(c, a, b), (left, right, summand))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_square_roots_are_rounded_correctly(dtype):
    """Rounding a float64's root to a float32 is rounding the root once (Figueroa 1995)."""
    values = numbers(4096).abs().to(dtype)
    roots = [math.sqrt(value) for value in values.tolist()]
    assert values.sqrt().tolist() == torch.tensor(roots, dtype=dtype).tolist()
    assert values.clone().sqrt_().tolist() == values.sqrt().tolist()


def test_derivatives_of_square_roots_are_right():
    assert gradcheck(torch.sqrt, (numbers(5).abs().double().add(1).requires_grad_(),))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("of_tensors", "of_numbers"),
    [
        (torch.log, math.log),
        (torch.log2, math.log2),
        (torch.log10, math.log10),
        (torch.atan, math.atan),
    ],
)
def test_logarithms_and_arcs_are_those_of_numbers(of_tensors, of_numbers, dtype):
    values = numbers(50).abs().to(dtype) + 0.01
    expected = torch.tensor([of_numbers(value) for value in values.tolist()], dtype=dtype)
    torch.testing.assert_close(of_tensors(values), expected)
    in_place = getattr(torch, f"{of_tensors.__name__}_")(values.clone())
    assert in_place.equal(of_tensors(values))
    assert gradcheck(of_tensors, (values[:5].double().requires_grad_(),))


def test_doubles_have_numpys_logarithm():
    values = numbers(999).abs().double()
    assert values.log().numpy().tobytes() == np.log(values.numpy()).tobytes()
