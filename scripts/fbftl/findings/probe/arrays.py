"""numpy, pandas and Python's numbers: functions by element, sums, sorting, draws and factors."""

import math
from collections.abc import Callable
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.probe.inputs import floats, integers, numbers, positive_definite
from fbftl.ground.randomness import stream

ELEMENTS = 4099
"""A prime, so that vectors of any width leave a rest."""

KINDS = (np.int64, np.float64, np.float32, np.int32)
"""Types of keys that are sorted."""


def _by_element(function: Callable[[np.ndarray], Any], positive: bool = False) -> list[Any]:
    """Return a function of numbers within 8 and within 128 of zero, in float64 and float32."""
    values = np.concatenate([numbers(ELEMENTS, reach=8), numbers(ELEMENTS, draw=1, reach=64)])
    values = np.abs(values) + 2.0**-10 if positive else values
    return [function(values), function(values.astype(np.float32))]


def _powers(values: np.ndarray) -> list[np.ndarray]:
    return [values**2, values**1.5, values**-0.5, values**3, 0.9**values]


def _logarithms(values: np.ndarray) -> list[np.ndarray]:
    return [np.log(values), np.log2(values), np.log10(values), np.log1p(values)]


def _sums() -> list[Any]:
    sums: list[Any] = []
    for values in (numbers(129, 1027), floats(129, 1027)):
        sums += [values.sum(), values.mean(), values.std(), values.var(axis=0), values.sum(axis=0)]
        sums += [values.mean(axis=1), values.std(axis=1, ddof=1), np.cumsum(values, axis=1)]
        sums += [
            np.linalg.norm(values),
            np.linalg.norm(values, axis=1),
            (values[:, :50] / 2).prod(axis=1),
        ]
        sums += [np.square(values, dtype=np.float64).sum(1), values[:, ::2].sum(axis=1)]
    sums += [np.add.reduceat(floats(500), [0, 7, 99, 400], dtype=np.float64)]
    weights, places = numbers(999), integers(20, 999)
    return [*sums, np.bincount(places, weights), np.average(weights, weights=np.abs(weights) + 1)]


def _einsums() -> list[Any]:
    x, y = numbers(40, 65), floats(40, 65)
    squares = [np.einsum("nd,nd->n", values, values) for values in (x, y)]
    cube = np.einsum("dmn,dn->dm", numbers(7, 11, 13), numbers(7, 13))
    return [*squares, cube, np.outer(x[0], x[1]), np.corrcoef(x[:5]), np.trace(x @ x.T)]


def _in_order() -> list[Any]:
    """Equal keys: which of them comes first is part of the result."""
    results: list[Any] = []
    for kind in KINDS:
        keys = integers(50, 2048).astype(kind)
        results += [np.sort(keys), np.argsort(keys, kind="stable"), np.argmax(keys)]
        results += [np.partition(keys, 300), np.partition(keys.reshape(32, 64), 20, axis=1)]
    quantiles = [np.quantile(numbers(501), q) for q in (0.1, 0.5, 0.99)]
    lower = np.quantile(numbers(501), np.linspace(0, 1, 9), method="lower")
    bounds = np.searchsorted(np.sort(numbers(501)), numbers(99))
    return [
        *results,
        *quantiles,
        lower,
        np.median(numbers(500)),
        bounds,
        np.lexsort([integers(9, 99)]),
    ]


def _in_any_order() -> list[Any]:
    """numpy's sorting networks, which leave equal keys as they fall."""
    keys = [integers(50, 2048).astype(kind) for kind in KINDS]
    return [[np.argsort(part), *np.unique(part, return_inverse=True)] for part in keys]


def _rounded() -> list[Any]:
    values = numbers(ELEMENTS, reach=8)
    small = values.astype(np.float16), values.astype(np.float32), values.astype(np.float32) / 3
    return [*small, np.rint(values), np.floor(values), np.nextafter(small[1], np.float32(0)),
            1 / (values + 9), np.sqrt(np.abs(values)), np.interp(values, np.arange(9), values[:9]),
            np.geomspace(1e-4, 10, 33), np.linspace(0, 1, 77), values.astype(np.int64)]  # fmt: skip


def _products() -> list[Any]:
    products: list[Any] = []
    for rows, width, columns in ((33, 300, 17), (7, 400, 10), (50, 50, 50)):
        x, w = numbers(rows, width), numbers(width, columns)
        products += [
            x @ w,
            x.astype(np.float32) @ w.astype(np.float32),
            x.T @ x,
            x @ x.T,
            x @ w[:, 0],
        ]
        single = x.astype(np.float32)
        products += [single.T @ single, single @ single[0], x[0] @ x[0]]
    return [*products, numbers(3, 20, 30) @ numbers(3, 30, 9)]


def _factors() -> list[Any]:
    matrix, rows = positive_definite(70), numbers(60, 41)
    return [*np.linalg.eigh(matrix), *np.linalg.svd(rows, full_matrices=False),
            np.linalg.inv(matrix[:9, :9]), np.linalg.solve(matrix, rows[:1].repeat(70, 0)),
            np.linalg.cholesky(matrix), np.linalg.lstsq(rows, rows[:, 0] ** 2, rcond=None)[0],
            np.linalg.inv(numbers(2, 2)), *np.linalg.svd(floats(33, 20), False)]  # fmt: skip


def _drawn() -> list[Any]:
    random = stream(3, "probe", 1, 2)
    steps = [random.standard_normal(5001), random.standard_normal(1001, dtype=np.float32)]
    steps += [random.uniform(-1, 1, 99), random.normal(0, 2, 99), random.laplace(size=999)]
    steps += [random.dirichlet(np.full(10, 0.3), 50), random.multinomial(100, np.full(10, 0.1), 9)]
    steps += [random.permutation(999), random.choice(999, 99, replace=False), random.random(99)]
    steps += [
        random.geometric(0.1, 99),
        random.binomial(100, 0.3, 99),
        random.integers(2**31, size=9),
    ]
    steps += [random.binomial(5, 0.3, 99), random.exponential(1, 99), random.gamma(0.5, 1, 99)]
    return [*steps, random.choice(9, 99, p=np.arange(1, 10) / 45), random.bytes(9)]


def _python() -> list[Any]:
    values = (numbers(999) / 7).tolist()
    positive = [abs(value) + 0.1 for value in values]
    functions = math.exp, math.erfc, math.tanh, math.expm1, math.sin
    of_positive = math.log, math.log2, math.log10, math.log1p, math.lgamma, math.sqrt
    normal = [NormalDist().inv_cdf(p / 100) for p in range(1, 100)]
    return [sum(values), math.fsum(values), sum(values) / len(values), math.prod(positive[:99]),
            [function(value) for function in functions for value in values],
            [function(value) for function in of_positive for value in positive],
            [0.97**value for value in values], [value**2.5 for value in positive], normal,
            [f"{value:.4g} {value!r}" for value in values]]  # fmt: skip


def _tables() -> list[Any]:
    frame = pd.DataFrame({"group": integers(7, 500), "value": numbers(500) / 3})
    by_group = frame.groupby("group")["value"]
    measures = [
        by_group.mean(),
        by_group.std(),
        by_group.sum(),
        by_group.median(),
        by_group.cumsum(),
    ]
    whole = frame["value"].mean(), frame["value"].std(), frame["value"].sum()
    ordered = frame.sort_values("group").index.to_numpy()
    return [*(column.to_numpy() for column in measures), *whole, ordered, frame.to_csv()]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "exp": partial(_by_element, lambda x: [np.exp(x / 2), np.expm1(x / 8), np.exp2(x / 2)]),
    "log": partial(_by_element, _logarithms, positive=True),
    "power": partial(_by_element, _powers, positive=True),
    "trigonometry": partial(
        _by_element, lambda x: [np.sin(x), np.cos(x), np.tanh(x), np.arctan(x)]
    ),
    "logaddexp": partial(_by_element, lambda x: [np.logaddexp(x, -x), np.logaddexp.reduce(x)]),
    "rounding": _rounded,
    "sums": _sums,
    "einsum": _einsums,
    "order": _in_order,
    "argsort": _in_any_order,
    "products": _products,
    "factors": _factors,
    "random": _drawn,
    "python": _python,
    "tables": _tables,
}
"""Every operation by its name."""
