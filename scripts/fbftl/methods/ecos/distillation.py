"""A linear head that learns from labels and from a teacher's scores (Hinton et al., 2015)."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from fbftl.messages.statistics import LabelledRows
from fbftl.training.closed_form import LinearHead
from fbftl.training.logistic import STEPS


def distilled(
    rows: LabelledRows, scores: np.ndarray, penalty: float, share: float, temperature: float
) -> LinearHead:
    """Return the head that minimises share T² CE(q_T, p_T) + (1 - share) CE(y, p) + λ/2 ‖W‖².

    Here p_T is the softmax of its scores over T, q_T that of the teacher's. Samples are scaled to a
    mean square of one, as in `logistic`, which this is but for rounding where the teacher has no
    share: all numbers are float64 here, products float32 there.

    Args:
        rows: the training samples.
        scores: (n, N) the teacher's.
        penalty: λ.
        share: weight of the teacher, from 0 to 1.
        temperature: T.
    """
    values, classes = rows.values, scores.shape[1]
    scale = np.sqrt(max(float(np.mean(np.square(values, dtype=np.float64))), 1e-300))
    inputs = (values / np.float32(scale)).astype(np.float64)
    hot, teacher = np.eye(classes)[rows.labels], softmax(scores / temperature, axis=1)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias = flat[:-classes].reshape(classes, -1), flat[-classes:]
        logits = inputs @ weights.T + bias
        plain, warm = log_softmax(logits, axis=1), log_softmax(logits / temperature, axis=1)
        value = -(1 - share) * (plain * hot).sum() - share * temperature**2 * (warm * teacher).sum()
        error = (1 - share) * (np.exp(plain) - hot) + share * temperature * (np.exp(warm) - teacher)
        error /= len(logits)
        slope = error.T @ inputs + penalty * weights
        objective = value / len(logits) + penalty / 2 * (weights**2).sum()
        return float(objective), np.concatenate([slope.reshape(-1), error.sum(axis=0)])

    start = np.zeros(classes * (values.shape[1] + 1))
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return LinearHead(solution[:-classes].reshape(classes, -1) / scale, solution[-classes:])
