"""Naive Bayes and QDA against densities by scipy."""

import numpy as np
import pytest
from fbftl.messages.statistics import LabelledRows, Moments
from fbftl.training.gh_ofl import naive_bayes, qda
from scipy.stats import multivariate_normal

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def rows():
    labels = np.repeat([0, 1, 2], [60, 80, 100])
    values = RNG.normal(size=(240, 5)) * (1 + labels[:, None]) + 0.7 * labels[:, None]
    values[:, 1] += 0.8 * values[:, 0]
    return LabelledRows(values.astype(np.float32), labels, RNG.integers(9, size=240))


def densities(rows, covariance):
    """Logarithm of each class's share times its density, (n, 3), by scipy."""
    of_class = [rows.values[rows.labels == label] for label in range(3)]
    return np.stack(
        [
            np.log(len(x) / 240)
            + multivariate_normal.logpdf(rows.values, x.mean(axis=0), covariance(x))
            for x in of_class
        ],
        axis=1,
    )


@pytest.mark.parametrize(
    ("head", "covariance"),
    [("nb", lambda x: np.diag(x.var(axis=0, ddof=1))), ("qda", lambda x: np.cov(x, rowvar=False))],
)
def test_scores_are_densities_up_to_what_all_classes_share(rows, head, covariance):
    moments = Moments.of(rows.values, rows.labels, rows.client, 3)
    solved = naive_bayes(moments, 0.0) if head == "nb" else qda(rows, 3, 0.0)
    scores, expected = solved.head.scores(rows.values), densities(rows, covariance)
    off = (scores - scores[:, :1]) - (expected - expected[:, :1])
    assert np.abs(off).max() < 1e-3


def test_a_class_without_samples_is_never_predicted(rows):
    moments = Moments.of(rows.values, rows.labels, rows.client, 4)
    for solved in (naive_bayes(moments, 0.1), qda(rows, 4, 0.1)):
        assert (solved.head.scores(rows.values).argmax(1) < 3).all()
