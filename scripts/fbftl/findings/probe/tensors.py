"""torch on single tensors: functions by element, sums, sorting, products and factors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.findings.probe.inputs import integers
from fbftl.findings.probe.tensor_inputs import labels, tensor

ELEMENTS = 4099
"""A prime, so that vectors of any width leave a rest."""

SHAPES = ((32, 1280, 48), (7, 333, 10), (200, 64, 64))
"""Rows, inner width and columns of the products."""


def _by_element(function: Callable[[Tensor], Tensor], positive: bool = False) -> Tensor:
    """Return a function of numbers within 8 of zero, and of those within 100 of it."""
    near, far = tensor(ELEMENTS, reach=8), tensor(ELEMENTS, draw=1, reach=128)
    values = torch.cat([near, far])
    return function(values.abs() + 2.0**-10 if positive else values)


def _gelu_gradient(approximate: str) -> Tensor:
    values = tensor(ELEMENTS, reach=8).requires_grad_()
    (gradient,) = torch.autograd.grad(
        functional.gelu(values, approximate=approximate).sum(), values
    )
    return gradient


def _float64() -> list[Tensor]:
    values = tensor(ELEMENTS, reach=8).double()
    return [
        values.exp(),
        values.tanh(),
        values.sum(),
        values.mean(),
        values.std(),
        values.abs().rsqrt(),
    ]


def _softmaxes() -> list[Tensor]:
    logits = tensor(33, 10, reach=16), tensor(5, 1021, draw=1, reach=16)
    rows = [function(x, 1) for x in logits for function in (torch.softmax, torch.log_softmax)]
    return [*rows, torch.log_softmax(tensor(9, 10, 17, reach=16), 1), logits[1].logsumexp(1)]


def _cross_entropies() -> list[Tensor]:
    logits, wanted = tensor(65, 10, reach=16).requires_grad_(), labels(65, 10)
    losses = functional.cross_entropy(logits, wanted, reduction="none")
    binary = functional.binary_cross_entropy_with_logits(logits[:, 0], (wanted % 2).float())
    warm = torch.softmax(tensor(65, 10, draw=1), 1)
    soft = functional.cross_entropy(logits / 3, warm)
    gradients = torch.autograd.grad(losses.mean() + binary + soft, logits)
    return [losses, binary, soft, *gradients]


def _logarithms(values: Tensor) -> Tensor:
    return torch.cat([values.log2(), values.log10(), values.double().log().float()])


def _sums() -> list[Tensor]:
    values = tensor(129, 1027)
    whole = [values.sum(), values.mean(), values.std(), values.var(correction=0), values.norm()]
    rows = [values.sum(1), values.mean(0), values.var(1), values.norm(dim=1), values.std(0)]
    maps = tensor(3, 20, 7, 7)
    return [*whole, *rows, *torch.var_mean(maps, (0, 2, 3)), maps.mean((2, 3)), values.cumsum(1)]


def _in_order() -> list[Tensor]:
    """Equal keys: which of them comes first is part of the result."""
    keys = torch.from_numpy(integers(50, 2048).astype(np.float32))
    rows = keys.reshape(32, 64)
    sorts = [*keys.sort(), *rows.sort(dim=1, descending=True), keys.argsort(stable=True)]
    return [
        *sorts,
        *rows.topk(9),
        rows.topk(9, sorted=False).indices,
        rows.argmax(1),
        keys.argsort(),
    ]


def _gathered() -> list[Tensor]:
    values, places = tensor(50, 16), labels(300, 50)
    added = torch.zeros(50, 16).scatter_add_(0, places[:, None].expand(-1, 16), tensor(300, 16))
    weights = tensor(300, draw=2)
    counted = torch.bincount(places, weights=weights, minlength=50)
    return [functional.embedding(places, values), added, counted]


def _products() -> list[Tensor]:
    """The three products of a dense layer, as `Linear` and its gradients call them."""
    products = []
    for rows, width, columns in SHAPES:
        x, w, g = tensor(rows, width), tensor(columns, width), tensor(rows, columns)
        products += [x @ w.T, g @ w, g.T @ x, functional.linear(x, w, w[:, 0].contiguous())]
    return products


def _batched_products() -> list[Tensor]:
    x, w, b = tensor(3, 64, 256), tensor(3, 256, 65), tensor(3, 1, 65)
    x.requires_grad_(), w.requires_grad_()
    outputs = torch.baddbmm(b, x, w)
    gradients = torch.autograd.grad(outputs.square().sum(), [x, w])
    centres = torch.einsum("hbn,hbd->hnd", tensor(3, 64, 10), x)
    return [
        outputs,
        *gradients,
        centres,
        tensor(64, 256) @ tensor(256),
        tensor(257).dot(tensor(257)),
    ]


def _float64_products() -> list[Tensor]:
    x, w = tensor(65, 300).double(), tensor(300, 33).double()
    return [x @ w, torch.bmm(x[None], w[None])]


def _factors() -> list[Tensor]:
    rows = tensor(60, 24)
    symmetric = rows.T @ rows / 16
    values, vectors = torch.linalg.eigh(symmetric)
    return [*torch.linalg.svd(rows, full_matrices=False), values, vectors]


def _drawn() -> list[Tensor]:
    generator = torch.Generator().manual_seed(7)
    draw = partial(torch.empty(4099).normal_, generator=generator)
    uniform = torch.empty(1001).uniform_(-1, 1, generator=generator)
    mixed = torch.randperm(999, generator=generator)
    few, many = torch.empty(9).normal_(generator=generator), draw(std=0.5)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        dropped = functional.dropout(torch.ones(5003), 0.3)
        he = torch.nn.init.kaiming_normal_(torch.empty(33, 65), nonlinearity="relu")
        return [uniform, mixed, few, many, dropped, he, torch.rand(99), torch.randn(99)]


def _resized() -> list[Tensor]:
    images = tensor(2, 3, 13, 13)
    linear = functional.interpolate(images, (32, 32), mode="bilinear", antialias=True)
    smaller = functional.interpolate(images, (9, 9), mode="bilinear", antialias=True)
    last = images.contiguous(memory_format=torch.channels_last)
    return [linear, smaller, functional.interpolate(last, (32, 32), mode="bicubic")]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "exp": partial(_by_element, torch.exp),
    "log": partial(_by_element, torch.log, positive=True),
    "logarithms": partial(_by_element, _logarithms, positive=True),
    "atan": partial(_by_element, torch.atan),
    "tanh": partial(_by_element, torch.tanh),
    "sigmoid": partial(_by_element, torch.sigmoid),
    "logit": partial(_by_element, lambda x: torch.logit(torch.sigmoid(x / 16))),
    "gelu": partial(_by_element, functional.gelu),
    "gelu-tanh": partial(_by_element, partial(functional.gelu, approximate="tanh")),
    "gelu-gradient": lambda: [_gelu_gradient(kind) for kind in ("none", "tanh")],
    "softplus": partial(_by_element, functional.softplus),
    "sqrt": partial(_by_element, torch.sqrt, positive=True),
    "rsqrt": partial(_by_element, torch.rsqrt, positive=True),
    "power": partial(_by_element, lambda x: torch.cat([x**2, x**1.5, x**-0.5]), positive=True),
    "division": partial(_by_element, lambda x: 1 / x, positive=True),
    "lerp": partial(_by_element, lambda x: torch.lerp(x, x.flip(0), 0.3)),
    "float64": _float64,
    "softmax": _softmaxes,
    "cross-entropy": _cross_entropies,
    "sums": _sums,
    "order": _in_order,
    "gather-scatter": _gathered,
    "products": _products,
    "batched-products": _batched_products,
    "float64-products": _float64_products,
    "factors": _factors,
    "random": _drawn,
    "resize": _resized,
}
"""Every operation by its name."""
