"""Where torch computes, with how many threads, in which memory, and that it repeats itself.

What of torch on the CPU cannot be pinned by a variable, or only at a price, is computed otherwise.
The one value of `MKL_CBWR` that processors of every vendor honour makes MKL's large products two to
four times slower. oneDNN, held to AVX2 (`fbftl.ground.exact`), loses little, and adds along the
inner dimension in one order, whatever the other two and however the matrices lie: a row's product
does not depend on its neighbours. Square roots of MKL start from an approximation that every maker
of processors chooses; numpy's are rounded correctly. Some of its logarithms and its arc tangent
differ in rare values between makers; numpy's do not. Torch's dispatcher hands all of them here,
those of automatic differentiation too, so nothing that trains has to know.
"""

import ctypes
import os
import warnings
from collections.abc import Callable
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import UserError
from fbftl.ground.exact import in_environment


def prepare(device: str, threads: int) -> torch.device:
    """Set torch's threads, memory, products and determinism, and return the device to compute on.

    Two torch processes with more threads than cores run small steps tens of times slower, so
    every job pins its threads to what its rule was given.

    Args:
        device: auto, cpu or cuda.
        threads: threads of the rule.

    Raises:
        UserError: if cuda is asked for and there is none.
    """
    torch.set_num_threads(threads)
    keep_freed_memory()
    # As `use_deterministic_algorithms(True, warn_only=True)`, which imports torch's compiler.
    torch.set_deterministic_debug_mode("warn")
    # Nothing here reads memory that it has not written, and filling all of it takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("config: device is 'cuda', but torch finds no GPU; use 'auto' or 'cpu'")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.set_float32_matmul_precision("high")  # TF32
    elif in_environment(os.environ):
        use_exact_kernels()
    return torch.device(device)


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""As in malloc.h."""


LARGEST_KEPT = 2**30
"""Bytes of the largest array whose memory is kept."""


LARGEST_KEPT_BEFORE = 2**25
"""Bytes of the largest array whose memory older C libraries keep; they refuse more."""


NEVER = -1
"""The trim threshold at which no unused page is handed back."""


def keep_freed_memory() -> None:
    """Have this process keep the memory of freed arrays, where its C library is glibc."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return
    if not library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT):
        library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT_BEFORE)
    library.mallopt(M_TRIM_THRESHOLD, NEVER)


def seed_dropout(seed: int) -> None:
    """Seed the generators that dropout draws from, on the CPU and on GPUs in use.

    `torch.manual_seed` would do, but writes down its caller's stack for every kind of device that
    is not in use, which takes longer than a small network's step.
    """
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


LARGE = 2048
"""Numbers of the right matrix from which oneDNN is called: MKL starts in fewer microseconds. The
left matrix has no say, so that a row's product never depends on how many there are."""

LARGE_IN_STACK = 8192
"""Numbers of each right matrix of a stack from which oneDNN is called, once for each of them."""

BY_NUMPY = MappingProxyType(
    {"sqrt": np.sqrt, "log2": np.log2, "log10": np.log10, "atan": np.arctan}
)
"""Functions of each value that numpy computes, by torch's name of the operator."""


Function = Callable[..., Any]
"""A function of each value of an array, of numpy's, or a product of torch's."""


@cache
def use_exact_kernels() -> torch.library.Library:
    """Have this process's large products and square roots on the CPU computed here from now on.

    Returns:
        What keeps them here: they return to MKL with its end.
    """
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        # Torch warns that an operator is overridden, which is what is wanted.
        warnings.simplefilter("ignore", UserWarning)
        aten = torch.ops.aten
        library.impl("mm", partial(_product, aten.mm.out), "CPU")
        library.impl("bmm", partial(_product, aten.bmm.out), "CPU")
        library.impl("addmm", partial(_sum_and_product, aten.addmm.out), "CPU")
        library.impl("baddbmm", partial(_sum_and_product, aten.baddbmm.out), "CPU")
        for name, function in BY_NUMPY.items():
            library.impl(name, partial(_applied, function), "CPU")
            library.impl(f"{name}_", partial(_apply, function), "CPU")
        library.impl("log", _logarithm, "CPU")
        library.impl("log_", _take_logarithm, "CPU")
    return library


def _product(small: Function, left: Tensor, right: Tensor) -> Tensor:
    """Return the product of two matrices, or of each pair of two stacks, small ones by torch's."""
    if _is_large(left, right):
        return _by_onednn(left, right)
    return small(left, right, out=left.new_empty(0))


def _sum_and_product(
    small: Function, summand: Tensor, left: Tensor, right: Tensor, *, beta: float = 1,
    alpha: float = 1,
) -> Tensor:  # fmt: skip
    """Return `beta * summand + alpha * left @ right`, the summand broadcast to the product."""
    if not _is_large(left, right):
        sizes = {"beta": beta, "alpha": alpha}
        return small(summand, left, right, **sizes, out=left.new_empty(0))
    product = _by_onednn(left, right)
    if alpha != 1:
        product.mul_(alpha)
    return product.add_(summand, alpha=beta) if beta else product


def _is_large(left: Tensor, right: Tensor) -> bool:
    """Return whether oneDNN multiplies these; what torch would refuse it shall refuse."""
    rows, inner = left.shape[-2:]
    columns = right.shape[-1]
    return (
        inner * columns >= (LARGE if left.dim() == 2 else LARGE_IN_STACK)
        and rows > 1  # vectors take other paths in both libraries
        and columns > 1
        and left.dtype == right.dtype == torch.float32
        and left.shape[:-2] == right.shape[:-2]
        and right.shape[-2] == inner
    )


def _by_onednn(left: Tensor, right: Tensor) -> Tensor:
    if left.dim() == 3:
        if not len(left):
            return left.new_empty(0, left.shape[1], right.shape[2])
        return torch.stack([_by_onednn(*pair) for pair in zip(left, right, strict=True)])
    # Of a product with a matrix that lies transposed, as a gradient's is, the transposed product
    # has less to copy; its numbers are the same.
    if len(left) > right.shape[1] and not left.is_contiguous():
        return _linear(right.mT, left).mT
    return _linear(left, right.mT)


def _linear(rows: Tensor, weight: Tensor) -> Tensor:
    """Return the product with a transposed matrix, as a dense layer has it."""
    # Of a matrix that is a part of a wider one oneDNN has only a reference kernel, which takes
    # hundreds of times as long and adds in another order.
    if not (weight.is_contiguous() or weight.mT.is_contiguous()):
        weight = weight.contiguous() if weight.stride(-1) == 1 else weight.mT.contiguous().mT
    # Torch's compiler calls oneDNN by this operator; there is no public one for dense matrices.
    return torch.ops.mkldnn._linear_pointwise(rows, weight, None, "none", [], "")


def _applied(function: Function, values: Tensor) -> Tensor:
    """Return the function of each value; integers give floats, as torch has it."""
    if not values.is_floating_point():
        values = values.to(torch.get_default_dtype())
    return _apply(function, values.clone())


def _apply(function: Function, values: Tensor) -> Tensor:
    """Replace each value by the function of it, and return all; numpy knows no bfloat16."""
    wide = values.float() if values.dtype == torch.bfloat16 else values
    shared = wide.detach().numpy()
    # Outside of where a function is defined, torch too gives no number and says nothing of it.
    with np.errstate(invalid="ignore", divide="ignore"):
        function(shared, out=shared)
    return values if wide is values else values.copy_(wide)


def _logarithm(values: Tensor) -> Tensor:
    """Return the natural logarithm of each value: numpy's of doubles, torch's of all others."""
    if values.dtype == torch.float64:
        return _applied(np.log, values)
    out = values.new_empty(0) if values.is_floating_point() else torch.empty(0)
    return torch.ops.aten.log.out(values, out=out)


def _take_logarithm(values: Tensor) -> Tensor:
    """Replace each value by its natural logarithm, and return all."""
    if values.dtype == torch.float64:
        return _apply(np.log, values)
    return torch.ops.aten.log.out(values, out=values)
