"""scipy and scikit-learn: functions, factors, minimisers, and what is fitted with them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.special
import scipy.stats

from fbftl.findings.probe.inputs import floats, integers, numbers, positive_definite


def _special() -> list[Any]:
    x, y = numbers(2003), np.abs(numbers(2003, draw=1)) + 2.0**-10
    of_any = scipy.special.erf, scipy.special.erfc, scipy.special.ndtr, scipy.special.expit
    values = [function(x) for function in of_any] + [scipy.special.log_ndtr(8 * x)]
    values += [scipy.special.gammaln(y), scipy.special.xlogy(y, y), scipy.special.ndtri(y / 5)]
    shares = y / (y.max() + 1)
    values += [
        scipy.special.betainc(2.5, 0.5, shares),
        scipy.special.betaincinv(3, 7, shares[:200]),
    ]
    values += [scipy.special.stdtrit(9.0, shares[:200]), scipy.special.chdtrc(4.0, y)]
    return [*values, scipy.special.gammaincc(3.0, y), scipy.special.binom(40, integers(40, 50))]


def _softmaxes() -> list[Any]:
    logits = numbers(65, 10, reach=16), floats(65, 10, reach=16)
    functions = scipy.special.softmax, scipy.special.log_softmax, scipy.special.logsumexp
    return [function(x, axis=1) for x in logits for function in functions]


def _statistics() -> list[Any]:
    counts, shares = integers(50, 256), np.linspace(0.01, 0.99, 33)
    test = scipy.stats.chisquare(counts)
    bounds = [scipy.stats.beta.ppf(shares, 3 + k, 40 - k) for k in (0, 7, 30)]
    return [test.statistic, test.pvalue, *bounds, scipy.stats.norm.ppf(shares),
            scipy.stats.norm.cdf(numbers(99)), scipy.stats.t.ppf(shares, 9)]  # fmt: skip


def _transforms() -> list[Any]:
    series = [numbers(length) for length in (1024, 1000, 1013)]
    forward = [function(x) for x in series for function in (scipy.fft.rfft, np.fft.fft)]
    back = [scipy.fft.irfft(scipy.fft.rfft(x), len(x)) for x in series]
    return [*forward, *back, np.convolve(series[0], series[1][:30])]


def _factors() -> list[Any]:
    matrix, right = positive_definite(90), numbers(90, 10)
    factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
    small = positive_definite(17)
    return [np.tril(factor[0]), scipy.linalg.cho_solve(factor, right, check_finite=False),
            *scipy.linalg.eigh(matrix, check_finite=False), *scipy.linalg.eigh(small),
            scipy.linalg.solve(matrix, right), *scipy.linalg.svd(right)]  # fmt: skip


def _minima() -> list[Any]:
    rows, classes = numbers(80, 12) / 4, integers(3, 80)
    hot = np.eye(3)[classes]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        logs = scipy.special.log_softmax(rows @ flat.reshape(12, 3), axis=1)
        slope = rows.T @ (np.exp(logs) - hot) + flat.reshape(12, 3)
        return float(-(logs * hot).sum() + (flat**2).sum() / 2), slope.ravel()

    minimum = scipy.optimize.minimize(loss, np.zeros(36), jac=True, method="L-BFGS-B")
    root = scipy.optimize.brentq(lambda x: np.exp(x) - 3 + np.sin(x), -2, 5, xtol=3e-5)
    least = scipy.optimize.minimize_scalar(
        lambda x: (np.exp(-x) - 0.3) ** 2 + np.log1p(x), bounds=(0, 3), method="bounded"
    )
    return [minimum.x, minimum.nit, root, least.x]


def _blurred() -> Any:
    return scipy.ndimage.gaussian_filter(floats(3, 13, 13, 1), (0, 0.75, 0.75, 0), mode="nearest")


def _fitted() -> list[Any]:
    """What scikit-learn fits: clusters, a probe, and the classes that it predicts."""
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "openmp"):
        clusters = KMeans(7, n_init=1, max_iter=100, random_state=5).fit(floats(300, 16))
    rows, classes = numbers(200, 9), integers(3, 200)
    probe = LogisticRegression(solver="newton-cholesky", max_iter=1000).fit(rows, classes)
    return [clusters.cluster_centers_, clusters.labels_, clusters.inertia_, probe.coef_,
            probe.intercept_, probe.predict(rows), probe.score(rows, classes)]  # fmt: skip


OPERATIONS: dict[str, Callable[[], Any]] = {
    "special": _special,
    "softmax": _softmaxes,
    "statistics": _statistics,
    "fft": _transforms,
    "factors": _factors,
    "minima": _minima,
    "blur": _blurred,
    "scikit-learn": _fitted,
}
"""Every operation by its name."""
