"""Labels by votes of the nearest rows, and heads that learn from a teacher."""

import numpy as np
import pytest
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.ecos.coverage import votes_event
from fbftl.methods.ecos.public_rows import Answers, distilled, votes
from fbftl.privacy.composition import compose, gaussian
from fbftl.training.logistic import logistic
from scipy.special import softmax

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(30, 4)).astype(np.float32)
LABELS = np.arange(30) % 3


def test_votes_are_those_of_the_nearest_rows_that_were_sampled():
    queries = RNG.normal(size=(6, 4)).astype(np.float32)
    sampled = RNG.random((6, 30)) < 0.5
    sampled[5] = np.arange(30) < 2
    every_vote = votes(queries, ROWS, LABELS, 3, 4, sampled)
    for query, is_sampled, query_votes in zip(queries, sampled, every_vote, strict=True):
        distances = ((ROWS - query) ** 2).sum(axis=1)
        near = np.flatnonzero(is_sampled)[np.argsort(distances[is_sampled])][:4]
        assert query_votes.tolist() == np.bincount(LABELS[near], minlength=3).tolist()
    assert every_vote.sum(axis=1).tolist() == [4] * 5 + [2]


def test_a_replaced_row_moves_votes_by_root_two_and_the_confidence_by_one_at_most():
    """Every row by one of every class, near and far: what the guarantee's release rests on."""
    queries = RNG.normal(size=(20, 4)).astype(np.float32)
    sampled = RNG.random((20, 30)) < 0.5
    before = votes(queries, ROWS, LABELS, 3, 5, sampled)
    moved, surer = [], []
    for row in range(30):
        for label in range(3):
            for place in (queries[row % 20], 100 * np.ones(4, np.float32)):
                rows, labels = ROWS.copy(), LABELS.copy()
                rows[row], labels[row] = place, label
                after = votes(queries, rows, labels, 3, 5, sampled)
                moved.append(np.linalg.norm(after - before, axis=1).max())
                surer.append(np.abs(after.max(axis=1) - before.max(axis=1)).max())
    assert max(moved) == pytest.approx(2**0.5)
    assert max(surer) == 1


def test_votes_and_confidence_cost_what_two_gaussian_releases_do():
    """Sensitivities of √2 and 1, each under noise of its own, with every row in every query."""
    together = compose([votes_event(6.0, 9.0, 1.0, 4)], 1e-5, "add-remove")
    apart = compose([gaussian(6.0 / 2**0.5, 4), gaussian(9.0, 4)], 1e-5, "add-remove")
    assert together.epsilon == pytest.approx(apart.epsilon, rel=2e-3)


def test_the_most_confident_of_each_label_are_kept():
    answers = Answers(np.array([0, 0, 0, 1]), np.array([1.0, 3.0, 2.0, -5.0]))
    assert answers.most_confident(2).tolist() == [1, 2, 3]


def test_without_a_share_of_the_teacher_the_head_is_the_logistic_one():
    rows = LabelledRows(ROWS, LABELS, LABELS)
    ours = distilled(rows, np.zeros((30, 3)), 0.1, 0.0, 10.0)
    theirs = logistic(rows, 3, [0.1]).head
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=2e-3)


def test_of_a_teacher_alone_the_head_takes_over_its_warm_scores():
    truth = RNG.normal(size=(4, 3))
    scores = ROWS.astype(np.float64) @ truth
    rows = LabelledRows(ROWS, LABELS, LABELS)
    head = distilled(rows, scores, 1e-9, 1.0, 2.0)
    teacher, learnt = (softmax(logits / 2.0, axis=1) for logits in (scores, head.scores(ROWS)))
    assert np.abs(teacher - learnt).max() == pytest.approx(0, abs=0.01)
