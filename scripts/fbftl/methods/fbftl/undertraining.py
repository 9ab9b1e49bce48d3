"""Whether a head was trained for too short: beside it, ridge regression on the same features.

A fixed number of epochs that suits one backbone leaves a head on another far from what its features
hold. Ridge regression has no epochs, so that it tells; λ is chosen as the epoch is, on what is held
out. Its accuracy is in the run file, and a head that is far behind is named in the log.
"""

from collections.abc import Sequence

import numpy as np

from fbftl.exchange.uploads import Sent
from fbftl.ground.logs import log
from fbftl.messages.statistics import ROWS_AT_ONCE, Statistics, added
from fbftl.messages.vectors import Vectors
from fbftl.study.job import FAR_BEHIND, name_of
from fbftl.tasks.task import LabelledFeatures
from fbftl.training.closed_form import ridge

RATIOS = (0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0)
"""Candidates of λ over the mean eigenvalue; the first is taken where nothing is held out."""

WIDEST = 8192
"""Numbers of a feature above which no ridge regression is solved: it takes d² of memory."""


def ridge_accuracies(client_data: LabelledFeatures, sent: Sent[Vectors]) -> list[float] | None:
    """Return the test accuracy of ridge regression on what the server received, by seed.

    None where features are too wide, or their squares are not finite.
    """
    if client_data.width > WIDEST:
        return None
    test = client_data.test.inputs.cpu().numpy(), client_data.test.labels.cpu().numpy()
    accuracies = []
    for received in sent.received():
        training, held_out = (
            _statistics(received.payload, rows, client_data.classes)
            for rows in (received.training, received.validation)
        )
        if not np.isfinite(training.scatter).all():
            return None
        solved = ridge(training, RATIOS, held_out if len(received.validation) else None)
        accuracies.append(solved.head.accuracy(*test))
    return accuracies


def say_if_far_behind(
    sent: Sent[Vectors], trained: Sequence[float], solved: Sequence[float]
) -> None:
    """Name a setting in the log whose head is far behind ridge regression on the same features.

    Args:
        sent: the setting's uploads.
        trained: test accuracy of its head, by seed.
        solved: that of ridge regression.
    """
    reached, possible = float(np.mean(trained)), float(np.mean(solved))
    if possible - reached > FAR_BEHIND:
        job = sent.how.job
        deviations = {axis: job.setting.values[axis] for axis in ("method", *job.setting.deviating)}
        log.warning(
            "%s on %s is trained for too short: %.1f %%, and ridge regression on the same features "
            "has %.1f %%; raise training.epochs, or give epochs: validated",
            name_of(deviations), job.task, 100 * reached, 100 * possible,
        )  # fmt: skip


def _statistics(payload: Vectors, rows: np.ndarray, classes: int) -> Statistics:
    """Return the statistics of some rows, read part by part."""
    parts = (rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE))
    each = (Statistics.of(payload.values[part], payload.labels[part], classes) for part in parts)
    return added(each, classes, payload.width)
