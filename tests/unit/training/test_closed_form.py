"""Heads in closed form: each against its law, scikit-learn, or a step by hand."""

import numpy as np
import pytest
from fbftl.messages.statistics import ClassMeans, LabelledRows, Statistics, random_projection
from fbftl.training.closed_form import (
    Spectrum,
    afl,
    fed3r,
    fedcgs,
    fedcof,
    fedcof_between,
    fedcof_oracle,
    fedncm,
    lda,
    ncm,
    ridge,
)
from fbftl.training.logistic import logistic
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import NearestCentroid

CLASSES, WIDTH = 3, 5


def samples(count: int = 120, width: int = WIDTH, seed: int = 0):
    """Return features in float64, labels and clients; what is tested sees no rounding to 32."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(count) % CLASSES)
    values = rng.normal(size=(count, width)) @ rng.normal(size=(width, width)) + labels[:, None]
    return values, labels, np.arange(count) // 8


def statistics(values: np.ndarray, labels: np.ndarray) -> Statistics:
    return Statistics.of(values, labels, CLASSES)


def test_ridge_is_scikit_learns_on_the_pooled_features():
    values, labels, _ = samples()
    every = statistics(values, labels)
    ones = np.hstack([values, np.ones((len(values), 1))])
    penalty = 0.3 * np.trace(every.with_bias().scatter) / (WIDTH + 1)
    model = Ridge(alpha=penalty, fit_intercept=False).fit(ones, np.eye(CLASSES)[labels])
    head = ridge(every, [0.3]).head
    assert np.allclose(np.hstack([head.weights, head.bias[:, None]]), model.coef_, atol=1e-9)


def test_lda_is_scikit_learns_with_the_same_shrinkage():
    values, labels, _ = samples()
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.05).fit(values, labels)
    head, freedom = lda(statistics(values, labels), [0.05]).head, 1 - CLASSES / len(labels)
    # Its covariance is over n, this one over n - N.
    assert np.allclose(head.weights, freedom * model.coef_, atol=1e-9)
    priors = np.log(model.priors_)
    assert np.allclose(head.bias - priors, freedom * (model.intercept_ - priors), atol=1e-9)


def test_the_nearest_class_mean_is_scikit_learns():
    values, labels, _ = samples()
    every = statistics(values, labels)
    predicted = ncm(every.counts, every.sums).head.scores(values).argmax(axis=1)
    assert (predicted == NearestCentroid().fit(values, labels).predict(values)).all()


def test_fedcgs_takes_the_covariance_of_all_samples():
    values, labels, _ = samples()
    every = statistics(values, labels)
    head = fedcgs(every).head
    expected = np.linalg.solve(np.cov(values.T), every.means.T).T
    assert np.allclose(head.weights, expected)


def unequal_classes() -> ClassMeans:
    """Return means of three clients: four samples of class 0 at two of them, two of class 1.

    By hand: class means (3, 1) and (0, 3), estimated covariances diag(4, 0) and diag(0, 2), their
    weighted sum diag(12, 2), sum of all samples (12, 10).
    """
    return ClassMeans(
        client=np.array([0, 1, 0, 2]),
        label=np.array([0, 0, 1, 1]),
        counts=np.array([2, 2, 1, 1]),
        means=np.array([[2.0, 1.0], [4.0, 1.0], [0.0, 2.0], [0.0, 4.0]]),
        classes=2,
    )


def test_fedcof_is_that_of_a_case_worked_out_by_hand():
    """The Gram matrix is diag(12, 2) + (12, 10)(12, 10)ᵀ / 6 = [[36, 20], [20, 56/3]].

    The weights are (9, -6)/17 and (-15, 27)/34 before they are scaled to unit length.
    """
    head = fedcof(unequal_classes(), 0.0).head
    assert np.allclose(head.weights, [np.array([3, -2]) / 13**0.5, np.array([-5, 9]) / 106**0.5])
    assert np.allclose(head.bias, 0)


def test_fedcofs_gamma_is_added_once_for_each_degree_of_freedom():
    """γ = 1 adds 3 + 1 to the diagonal, 4/7 of the mean eigenvalue of diag(12, 2).

    The weights are (36/95, -3/19) and (-9/38, 9/19) before they are scaled.
    """
    head = fedcof(unequal_classes(), 4 / 7).head
    assert np.allclose(head.weights, [np.array([12, -5]) / 13, np.array([-1, 2]) / 5**0.5])


def test_fedcof_with_the_scatter_between_classes_is_worked_out_by_hand():
    """The Gram matrix is diag(12, 2) + 4 (3, 1)(3, 1)ᵀ + 2 (0, 3)(0, 3)ᵀ = [[48, 12], [12, 24]].

    The weights are (5, 1)/21 and (-1, 4)/14 before they are scaled.
    """
    weights = fedcof_between(unequal_classes(), 0.0).head.weights
    assert np.allclose(weights, [np.array([5, 1]) / 26**0.5, np.array([-1, 4]) / 17**0.5])


def test_fedcof_is_its_oracle_where_clients_have_one_sample_each():
    values, labels, *_ = samples()
    means = ClassMeans.of(values, labels, np.arange(len(labels)), labels.max() + 1)
    estimated, true = fedcof(means, 0.1).head, fedcof_oracle(statistics(values, labels), [0.1]).head
    assert np.allclose(estimated.weights, true.weights)


def test_class_means_carry_lda():
    """The covariance is diag(12, 2) over n - N = 4."""
    head = lda(unequal_classes().estimated(), [0.0]).head
    assert np.allclose(head.weights, [[1, 2], [0, 6]])
    assert np.allclose(head.bias, [-2.5 + np.log(2 / 3), -9 + np.log(1 / 3)])


def test_a_class_of_one_client_does_not_weigh_in_on_the_covariance():
    class_means = unequal_classes()
    alone = ClassMeans(
        np.append(class_means.client, 2), np.append(class_means.label, 2),
        np.append(class_means.counts, 6), np.vstack([class_means.means, [5.0, 5.0]]), 3,
    )  # fmt: skip
    estimate = alone.estimated()
    assert np.allclose(estimate.within / (estimate.total - 3), np.diag([3, 0.5]))


def test_one_sample_of_a_client_and_class_leaves_nothing_to_estimate():
    values, labels, _ = samples()
    each = ClassMeans.of(values, labels, np.arange(len(values)), CLASSES).estimated()
    exact = statistics(values, labels)
    assert np.allclose(each.scatter, exact.scatter)
    assert np.allclose(lda(each, [0.05]).head.weights, lda(exact, [0.05]).head.weights)


def test_fedncm_has_means_of_unit_length_and_no_bias():
    head = fedncm(np.array([1.0, 2.0, 0.0]), np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]])).head
    assert np.allclose(head.weights[:2], [[0.6, 0.8], [0, 1]])
    assert head.bias.tolist() == [0, 0, -np.inf]


def test_fed3r_divides_weights_and_bias_by_the_length_of_the_weights():
    """Through (0, class 0) and (2, class 1) go the lines 1 - x/2 and x/2."""
    two = Statistics.of(np.array([[0.0], [2.0]]), np.array([0, 1]), 2)
    head = fed3r(two, [0.0]).head
    assert np.allclose(head.weights, [[-1], [1]])
    assert np.allclose(head.bias, [2, 0])


def test_afl_is_least_squares_without_a_bias():
    values, labels, _ = samples()
    head = afl(statistics(values, labels)).head
    assert np.allclose(head.weights, np.linalg.lstsq(values, np.eye(CLASSES)[labels])[0].T)
    assert np.allclose(head.bias, 0)


def test_logistic_regression_is_scikit_learns():
    values, labels, _ = samples()
    scaled = values / np.sqrt(np.mean(values**2))
    head = logistic(LabelledRows(values.astype(np.float32), labels, labels), CLASSES, [0.05]).head
    model = LogisticRegression(C=1 / (0.05 * len(labels)), tol=1e-8, max_iter=1000)
    theirs = model.fit(scaled, labels).predict_proba(scaled)
    ours = np.exp(head.scores(values))
    assert np.allclose(ours / ours.sum(axis=1, keepdims=True), theirs, atol=2e-3)


def test_logistic_regression_is_fitted_to_held_out_samples_too():
    values, labels, client = samples()
    rows = LabelledRows(values.astype(np.float32), labels, client)
    first, last = (
        LabelledRows(rows.values[part], labels[part], client[part])
        for part in (slice(90), slice(90, None))
    )
    chosen = logistic(first, CLASSES, [0.05, 1e-3], last)
    whole = logistic(rows, CLASSES, [chosen.regularisation])
    assert np.allclose(chosen.head.weights, whole.head.weights)


@pytest.mark.parametrize("solve", [ridge, lda])
def test_what_is_chosen_fits_the_held_out_samples_best(solve):
    (values, labels, _), (other, there, _) = samples(40, 30), samples(40, 30, seed=1)
    train, held_out = statistics(values, labels), statistics(other, there)
    candidates = [1e-6, 1e-3, 1e-1, 0.9]

    def loss(solved) -> float:
        head = solved.head
        if solve is ridge:
            return float(((head.scores(other) - np.eye(CLASSES)[there]) ** 2).sum())
        freedom = train.total - CLASSES
        sigma = train.within / freedom
        a = solved.regularisation
        shrunk = (1 - a) * sigma + a * np.trace(sigma) / 30 * np.eye(30)
        off = other - train.means[there]
        return float(
            len(off) * np.linalg.slogdet(shrunk)[1] + (off @ np.linalg.inv(shrunk) * off).sum()
        )

    chosen = solve(train, candidates, held_out)
    losses = [loss(solve(train, [candidate])) for candidate in candidates]
    assert chosen.regularisation == candidates[int(np.argmin(losses))]
    every = statistics(np.vstack([values, other]), np.concatenate([labels, there]))
    alone = solve(every, [chosen.regularisation]).head
    assert np.allclose(chosen.head.weights, alone.weights, atol=1e-7)


@pytest.mark.parametrize("solve", [lambda s: ridge(s, [0.0]), lambda s: lda(s, [0.0]), fedcgs])
def test_singular_matrices_have_a_defined_solution(solve):
    values, labels, _ = samples(9, 30)
    solved = solve(statistics(values, labels))
    assert np.isfinite(solved.head.weights).all()
    assert (solved.head.scores(values).argmax(axis=1) == labels).mean() > 1 / CLASSES


def test_what_is_negative_is_left_out_and_told():
    values, labels, _ = samples()
    every = statistics(values, labels)
    broken = Statistics(every.counts, every.sums, every.scatter - 60 * np.eye(WIDTH))
    solved = lda(broken, [0.0])
    assert 0 < solved.negative < 1
    assert np.isfinite(solved.head.weights).all()
    assert Spectrum.of(np.diag([3.0, -1.0])).negative == pytest.approx(0.25)


@pytest.mark.parametrize(
    "solve", [lambda s: ridge(s, [0.1]), lambda s: fed3r(s, [0.1]), afl, lambda s: lda(s, [0.1]),
              fedcgs, lambda s: ncm(s.counts, s.sums), lambda s: fedncm(s.counts, s.sums)]
)  # fmt: skip
def test_a_class_that_nobody_has_is_never_predicted(solve):
    values, labels, _ = samples()
    absent = Statistics.of(values, labels, CLASSES + 1)
    scores = solve(absent).head.scores(values)
    assert not np.isnan(scores).any()
    assert scores.argmax(axis=1).max() < CLASSES
    nothing = solve(Statistics.nothing(CLASSES, WIDTH)).head.scores(values)
    assert (nothing.argmax(axis=1) == 0).all()


def test_a_head_on_projections_works_on_the_features():
    values, labels, _ = samples()
    matrix = random_projection(WIDTH, 3, seed=0).astype(np.float64)
    head = lda(statistics(values @ matrix, labels), [0.05]).head
    assert np.allclose(head.after(matrix).scores(values), head.scores(values @ matrix))
