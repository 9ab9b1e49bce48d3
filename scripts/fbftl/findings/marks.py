"""Which settings are on the Pareto front of cost and score, in tables and figures."""

import numpy as np
import pandas as pd


def on_front(cost: pd.Series, score: pd.Series) -> np.ndarray:
    """Return which points are on the Pareto front: none costs as little or less and scores better,
    and none costs less and scores as well. Of equal points all are, or none.
    """
    costs, scores = cost.to_numpy(), score.to_numpy()
    as_good = (costs <= costs[:, None]) & (scores >= scores[:, None])
    better = (costs < costs[:, None]) | (scores > scores[:, None])
    return ~(as_good & better).any(axis=1)
