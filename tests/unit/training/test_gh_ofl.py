"""GH-OFL's heads on drawn samples, and naive Bayes and QDA against densities by scipy."""

import numpy as np
import pytest
import torch
from fbftl.messages.statistics import LabelledRows, Moments, Statistics
from fbftl.training.closed_form import lda
from fbftl.training.gh_ofl import (
    SHRINKAGE,
    SPREAD,
    FisherSpace,
    fishermix,
    naive_bayes,
    protohyper,
    qda,
)
from scipy.stats import multivariate_normal

CLASSES, WIDTH = 4, 12


def samples(count: int, seed: int = 0, classes: int = CLASSES) -> tuple[np.ndarray, np.ndarray]:
    """Return correlated Gaussian samples (n, d) of classes (n,), of unlike frequency."""
    means = 2 * np.random.default_rng(7).normal(size=(CLASSES, WIDTH))
    mixing = np.random.default_rng(8).normal(size=(WIDTH, WIDTH)) / 2
    rng = np.random.default_rng(seed)
    labels = rng.choice(classes, count, p=np.arange(1, classes + 1) / sum(range(classes + 1)))
    return means[labels] + rng.normal(size=(count, WIDTH)) @ mixing, labels


STATISTICS = Statistics.of(*samples(2000), CLASSES)


def test_the_subspace_is_white_within_classes_and_holds_all_that_tells_them_apart():
    space = FisherSpace.of(STATISTICS)
    assert space.directions.shape == (WIDTH, CLASSES - 1)
    assert space.covariance == pytest.approx(np.eye(CLASSES - 1), abs=1e-5)
    values, _ = samples(500, seed=1)
    inside = space.discriminants().scores(values @ space.directions)
    whole = lda(STATISTICS, [SHRINKAGE]).head.scores(values)
    assert centred(inside) == pytest.approx(centred(whole), rel=1e-5, abs=1e-4)


def centred(scores: np.ndarray) -> np.ndarray:
    """Return scores (n, N) less what all classes of a sample share."""
    return scores - scores.mean(axis=1, keepdims=True)


def test_samples_are_drawn_around_each_class_s_mean():
    space = FisherSpace.of(STATISTICS)
    values, labels = space.drawn(0)
    for label in range(CLASSES):
        of_class = values[labels == label]
        assert of_class.mean(axis=0) == pytest.approx(space.means[label], abs=0.1)
        assert np.cov(of_class.T) == pytest.approx(SPREAD**2 * space.covariance, abs=0.1)


@pytest.mark.parametrize("head", [fishermix, protohyper])
def test_a_head_is_as_good_as_discriminant_analysis_where_classes_are_gaussians(head):
    values, labels = samples(4000, seed=1)
    best = lda(STATISTICS, [SHRINKAGE]).head.accuracy(values, labels)
    assert head(STATISTICS, 0).head.accuracy(values, labels) > best - 0.01


@pytest.mark.parametrize("head", [fishermix, protohyper])
def test_a_seed_decides_a_head_and_nothing_else(head, monkeypatch):
    monkeypatch.setattr("fbftl.training.gh_ofl.DRAWN", 400)
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    first, again, other = (head(STATISTICS, seed).head.weights for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()
    assert (torch.random.get_rng_state() == before).all()


@pytest.mark.parametrize("head", [fishermix, protohyper])
@pytest.mark.parametrize("count", [0, 1, 300])
def test_a_class_without_samples_is_never_predicted(head, count, monkeypatch):
    monkeypatch.setattr("fbftl.training.gh_ofl.DRAWN", 400)
    values, labels = samples(count, classes=2)
    found = head(Statistics.of(values, labels, CLASSES), 0).head
    scores = found.scores(samples(50, seed=1)[0])
    present = np.isin(np.arange(CLASSES), labels)
    assert np.isneginf(scores[:, ~present]).all()
    assert np.isfinite(scores[:, present]).all()


@pytest.mark.parametrize("head", [fishermix, protohyper])
@pytest.mark.parametrize("noise", [10.0, 1e4])
def test_statistics_that_noise_has_made_indefinite_end_in_a_head(head, noise, monkeypatch):
    monkeypatch.setattr("fbftl.training.gh_ofl.DRAWN", 400)
    draws = np.random.default_rng(3)
    scatter = draws.normal(size=(WIDTH, WIDTH)) * noise
    counts, sums = (
        values + draws.normal(size=values.shape) * noise
        for values in (STATISTICS.counts, STATISTICS.sums)
    )
    found = head(Statistics(counts, sums, STATISTICS.scatter + scatter + scatter.T), 0).head
    assert not np.isnan(found.scores(samples(50, seed=1)[0])).any()


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


def test_classes_without_samples_are_never_predicted(rows):
    moments = Moments.of(rows.values, rows.labels, rows.client, 4)
    for solved in (naive_bayes(moments, 0.1), qda(rows, 4, 0.1)):
        assert (solved.head.scores(rows.values).argmax(1) < 3).all()
