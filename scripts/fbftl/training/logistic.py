"""Linear heads: multinomial logistic regression by L-BFGS, and what a solved head scores."""

from collections.abc import Sequence

import numpy as np
import torch

from fbftl.messages.statistics import LabelledRows
from fbftl.models.modes import digest
from fbftl.training.closed_form import LinearHead, Solved
from fbftl.training.curves import RIGHT, packed
from fbftl.training.tasks.task import LabelledFeatures, Score

STEPS = 200
"""Most steps of L-BFGS."""


def logistic(
    rows: LabelledRows,
    classes: int,
    penalties: Sequence[float],
    held_out: LabelledRows | None = None,
) -> Solved:
    """Return the head that minimises mean cross entropy + λ/2 ‖W‖² on scaled samples.

    Samples are scaled to a mean square of one, so that λ means the same for any features.

    Args:
        rows: the training samples.
        classes: number of classes N.
        penalties: candidates of λ; the first is taken where there is nothing to choose by.
        held_out: samples on whose cross entropy λ is chosen; the head is then fitted to both.
    """
    from scipy.special import log_softmax

    chosen = penalties[0]
    if held_out is not None and len(penalties) > 1:
        losses, start = {}, None
        # From the strongest penalty on, each begun where the last one ended.
        for penalty in sorted(penalties, reverse=True):
            start, head = _minimised(rows, classes, penalty, start)
            logs = log_softmax(head.scores(held_out.values), axis=1)
            losses[penalty] = -logs[np.arange(len(logs)), held_out.labels].mean()
        chosen = min(sorted(losses), key=losses.__getitem__)
    _, head = _minimised(rows if held_out is None else rows + held_out, classes, chosen)
    return Solved(head, chosen)


def _minimised(
    rows: LabelledRows, classes: int, penalty: float, start: np.ndarray | None = None
) -> tuple[np.ndarray, LinearHead]:
    """Return the minimum as a flat vector of scaled weights, and the head that it is.

    Of no samples the penalty alone is least where all weights are 0.
    """
    from scipy.optimize import minimize

    if not len(rows.labels):
        flat = np.zeros(classes * (rows.values.shape[1] + 1))
        return flat, LinearHead(*_parts(flat, classes))
    scale = np.sqrt(max(float(np.mean(np.square(rows.values, dtype=np.float64))), 1e-300))
    scaled = rows.values / np.float32(scale)
    hot = np.eye(classes)[rows.labels]
    minimum = minimize(
        _loss, np.zeros(classes * (rows.values.shape[1] + 1)) if start is None else start,
        args=(scaled, hot, penalty), jac=True, method="L-BFGS-B", options={"maxiter": STEPS},
    ).x  # fmt: skip
    weights, bias = _parts(minimum, classes)
    return minimum, LinearHead(weights / scale, bias)


def _parts(flat: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return flat[:-classes].reshape(classes, -1), flat[-classes:]


def _loss(
    flat: np.ndarray, scaled: np.ndarray, hot: np.ndarray, penalty: float
) -> tuple[float, np.ndarray]:
    """Return the loss and its gradient."""
    from scipy.special import log_softmax

    weights, bias = _parts(flat, hot.shape[1])
    logs = log_softmax(scaled @ weights.T.astype(np.float32) + bias, axis=1)
    error = (np.exp(logs) - hot) / len(hot)
    loss = -(logs * hot).sum() / len(hot) + penalty / 2 * (weights**2).sum()
    gradient = error.T.astype(np.float32) @ scaled + penalty * weights
    return float(loss), np.concatenate([gradient.reshape(-1), error.sum(axis=0)])


def score_of_linear(held: LabelledFeatures, head: LinearHead) -> Score:
    """Return a head's accuracy on the test split, the one point of its curve."""
    test = held.test.inputs.cpu().numpy(), held.test.labels.cpu().numpy()
    right = head.right(*test)
    accuracy = float(right.mean())
    return Score(
        {
            "epoch": 1,
            "test_accuracy": accuracy,
            "test_accuracy_best": accuracy,
            "diverged": False,
            "models": [digest(map(torch.from_numpy, (head.weights, head.bias)))],
            "series": {"test_accuracy": [accuracy]},
            RIGHT: packed(right),
        }
    )
